import { describeRaces } from './races/races.ts';

describeRaces('lifecycle');
