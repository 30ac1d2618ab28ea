import { type IPolicyValidationPlugin, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, type NagPack, ServerlessChecks } from 'cdk-nag';
import type { IConstruct } from 'constructs';

interface Acknowledgement {
  path: string;
  /** With the name of its pack, such as `Serverless::Serverless-LambdaDLQ`. */
  rule: string;
  reason: string;
}

export function acknowledgementsOf(stack: IConstruct): Acknowledgement[] {
  return stack.node.findAll().flatMap((construct) =>
    construct.node.metadata
      .filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
      .flatMap(({ data }) => Object.entries(data as Record<string, string>))
      .map(([rule, reason]) => ({ path: pathIn(stack, construct.node.path), rule, reason })),
  );
}

export function findingsOf(stack: IConstruct): { path: string; rule: string }[] {
  const packs: (NagPack & IPolicyValidationPlugin)[] = [
    new AwsSolutionsChecks(stack),
    new ServerlessChecks(stack),
  ];
  return packs.flatMap((pack) =>
    // Includes findings that we acknowledge: our acknowledgements name the rule's pack, and packs ignore those. The CDK
    // applies them later.
    pack.validateScope(stack).violations.flatMap(({ ruleName, violatingResources }) =>
      violatingResources.map(({ constructPath = '' }) => ({
        path: pathIn(stack, constructPath),
        rule: `${pack.name}::${ruleName}`,
      })),
    ),
  );
}

const pathIn = (stack: IConstruct, path: string) => path.slice(stack.node.path.length + 1);
