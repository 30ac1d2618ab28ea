import { Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { EDGE_REGION, type FirewallSettings } from '../../settings/edge-settings.ts';
import type { Stage } from '../../settings/stages.ts';
import { EncryptionKey } from '../encryption.ts';
import { EdgeAlarms } from './alarms.ts';
import { EdgeDistribution } from './distribution.ts';
import { Firewall } from './firewall.ts';
import { EdgeLogs } from './logs.ts';

interface EdgeStackProps {
  stage: Stage;
  settings: FirewallSettings;
  alarmEmail: string | undefined;
}

/**
 * What stands in front of the API, in the one region where CloudFront takes firewalls from. It knows
 * the API by its name alone, so that nothing is passed between regions.
 */
export class EdgeStack extends Stack {
  constructor(scope: Construct, id: string, { stage, settings, alarmEmail }: EdgeStackProps) {
    super(scope, id, {
      description: 'Recruitment service: CloudFront and firewall',
      env: { region: EDGE_REGION },
    });
    const { key: encryptionKey } = new EncryptionKey(this, 'Encryption', { stage });
    const { webAcl } = new Firewall(this, 'Firewall', { stage, mode: settings.mode });
    const { distribution } = new EdgeDistribution(this, 'Edge', { settings, webAcl });
    new EdgeLogs(this, 'Logs', { stage, encryptionKey, webAcl, distribution });
    new EdgeAlarms(this, 'Alarms', {
      stage,
      encryptionKey,
      distribution,
      settings,
      alarmEmail,
    });
  }
}
