import type { App, Stack } from 'aws-cdk-lib';
import type { Settings } from './settings/settings.ts';
import { stages } from './settings/stages.ts';
import { EdgeStack } from './stack/edge/edge-stack.ts';
import { RecruitmentStack } from './stack/recruitment-stack.ts';

/** The stacks of a deployment: the service and, where it has a firewall, the edge in front of it. */
export function addStacks(app: App, settings: Settings): Stack[] {
  const { stage, firewall } = settings;
  const service = new RecruitmentStack(app, `RecruitmentService-${stage}`, { settings });
  if (firewall === undefined) return [service];
  const edge = new EdgeStack(app, `RecruitmentEdge-${stage}`, {
    stage: stages[stage],
    settings: firewall,
    alarmEmail: settings.alarmEmail,
  });
  // The name that CloudFront calls exists before CloudFront does.
  edge.addStackDependency(service);
  return [service, edge];
}
