import { type IPolicyValidationPlugin, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, type NagPack, NIST80053R5Checks, ServerlessChecks } from 'cdk-nag';
import type { IConstruct } from 'constructs';

/** A finding of cdk-nag that a construct acknowledges for itself and its children. */
interface Acknowledgement {
  /** The construct's path in the stack. */
  path: string;
  /** The rule with its pack, such as `Serverless::Serverless-LambdaDLQ`. */
  rule: string;
  reason: string;
}

/** Returns all acknowledgements of a stack. */
export function acknowledgementsOf(stack: IConstruct): Acknowledgement[] {
  return stack.node.findAll().flatMap((construct) =>
    construct.node.metadata
      .filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
      .flatMap(({ data }) => Object.entries(data as Record<string, string>))
      .map(([rule, reason]) => ({ path: pathIn(stack, construct.node.path), rule, reason })),
  );
}

/** Returns all findings of cdk-nag in a stack, including acknowledged findings. */
export function findingsOf(stack: IConstruct): { path: string; rule: string }[] {
  const packs: (NagPack & IPolicyValidationPlugin)[] = [
    new AwsSolutionsChecks(stack),
    new ServerlessChecks(stack),
    new NIST80053R5Checks(stack),
  ];
  return packs.flatMap((pack) =>
    // A pack honours only acknowledgements without its name. The CDK honours the other acknowledgements later.
    pack.validateScope(stack).violations.flatMap(({ ruleName, violatingResources }) =>
      violatingResources.map(({ constructPath = '' }) => ({
        path: pathIn(stack, constructPath),
        rule: `${pack.name}::${ruleName}`,
      })),
    ),
  );
}

const pathIn = (stack: IConstruct, path: string) => path.slice(stack.node.path.length + 1);
