import { describeRaces } from '../support/races.ts';

describeRaces('any');
