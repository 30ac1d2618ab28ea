import { isDays, MOST_DAYS } from '../../writer/expiry.ts';
import { WrongUsage } from '../cli/run-command.ts';

/**
 * The value of an option that is a number of days.
 * @throws WrongUsage if it is not a whole number from 1 to 36500.
 */
export function readDays(option: string, text: string): number {
  const days = Number(text);
  if (/^\d{1,5}$/.test(text) && isDays(days)) return days;
  throw new WrongUsage(`--${option} must be a whole number from 1 to ${MOST_DAYS}.`);
}
