import { type IPolicyValidationPlugin, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, type NagPack, NIST80053R5Checks, ServerlessChecks } from 'cdk-nag';
import type { IConstruct } from 'constructs';

/** A finding of cdk-nag that a construct acknowledges for itself and what it holds. */
export interface Acknowledgement {
  /** The construct, by its path in the stack. */
  path: string;
  /** The rule with its pack, as in `Serverless::Serverless-LambdaDLQ`. */
  rule: string;
  reason: string;
}

/** All acknowledgements of a stack. */
export function acknowledgementsOf(stack: IConstruct): Acknowledgement[] {
  return stack.node.findAll().flatMap((construct) =>
    construct.node.metadata
      .filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
      .flatMap(({ data }) => Object.entries(data as Record<string, string>))
      .map(([rule, reason]) => ({ path: pathIn(stack, construct.node.path), rule, reason })),
  );
}

/** What cdk-nag finds in a stack, acknowledged or not: the resource, and the rule with its pack. */
export function findingsOf(stack: IConstruct): { path: string; rule: string }[] {
  const packs: (NagPack & IPolicyValidationPlugin)[] = [
    new AwsSolutionsChecks(stack),
    new ServerlessChecks(stack),
    new NIST80053R5Checks(stack),
  ];
  return packs.flatMap((pack) =>
    // A pack itself honours only acknowledgements without its name; the CDK honours the others later.
    pack.validateScope(stack).violations.flatMap(({ ruleName, violatingResources }) =>
      violatingResources.map(({ constructPath = '' }) => ({
        path: pathIn(stack, constructPath),
        rule: `${pack.name}::${ruleName}`,
      })),
    ),
  );
}

const pathIn = (stack: IConstruct, path: string) => path.slice(stack.node.path.length + 1);
