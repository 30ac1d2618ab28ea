import { isAddressable } from './addressable-identifier.ts';
import { isIdentifier } from './identifier.ts';
import { isTimestamp } from './timestamp.ts';
import { isWebAddress, profileOf } from './web-address.ts';

// Separate exports, so that a bundle holds only the formats that its validators use.
export const identifier = isIdentifier;
export const addressable = isAddressable;
export const timestamp = isTimestamp;
export const webAddress = isWebAddress;
export const profile = (value: string) => profileOf(value) === value;

export const ajvOptions = {
  strict: true,
  allowUnionTypes: true,
  formats: { identifier, addressable, timestamp, webAddress, profile },
};
