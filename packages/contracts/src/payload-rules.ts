/** Members that only the service sets: a create must not send them. */
const SERVICE_SET_MEMBERS = ['booking_id', 'created_at'] as const;
/** Members of a create that have a meaning to the service. */
const CREATOR_SET_MEMBERS = ['slot'] as const;

export type ServiceSetMember = (typeof SERVICE_SET_MEMBERS)[number];
export type CreatorSetMember = (typeof CREATOR_SET_MEMBERS)[number];

/** Maximum levels of objects and arrays in a payload, including the root. */
export const MAX_PAYLOAD_DEPTH = 32;
/** Maximum bytes of a create's body. */
export const MAX_PAYLOAD_BYTES = 65_536;
/** Maximum errors in a response. */
export const MAX_ERRORS = 20;

export interface PayloadError {
  path: (string | number)[];
  message: string;
}

const reservedBySkeleton = new Map(
  [...SERVICE_SET_MEMBERS, ...CREATOR_SET_MEMBERS].flatMap((name) =>
    [name, `${name}s`].map((form) => [skeleton(form), name]),
  ),
);
const ofCreator: readonly string[] = CREATOR_SET_MEMBERS;

/** The letters and digits of a name in lower case: equal for names that differ only in case, spaces or punctuation. */
function skeleton(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

/**
 * Checks the payload of a create for reserved names, an unwrapped slot, and names or values that JSON parsers or
 * databases may change or reject.
 *
 * @returns at most 20 errors; none for a value that is not a JSON object
 */
export function payloadErrors(payload: unknown): PayloadError[] {
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) return [];
  const errors: PayloadError[] = [];
  for (const name of Object.keys(payload)) {
    const message = reservedNameError(name);
    if (message !== undefined) errors.push({ path: [name], message });
  }
  if (isUnwrappedSlot(payload)) errors.push({ path: ['resource_id'], message: UNWRAPPED_SLOT });
  collectValueErrors(payload, 1, [], errors);
  return errors.slice(0, MAX_ERRORS);
}

function reservedNameError(name: string): string | undefined {
  const meant = reservedBySkeleton.get(skeleton(name));
  if (meant === undefined || ofCreator.includes(name)) return undefined;
  if (name === meant) return 'is set by the service and cannot be sent';
  return `is too close to a reserved name: did you mean \`${meant}\`?`;
}

const UNWRAPPED_SLOT = 'holds nothing outside a slot: did you mean `slot`: { "resource_id": …, "start": …, "end": … }?';

function isUnwrappedSlot(payload: object): boolean {
  const has = (name: string): boolean => Object.hasOwn(payload, name);
  return !has('slot') && has('resource_id') && (has('start') || has('end'));
}

function collectValueErrors(value: unknown, depth: number, path: (string | number)[], errors: PayloadError[]): void {
  if (errors.length >= MAX_ERRORS) return;
  if (typeof value === 'string') {
    if (isUnstorable(value)) errors.push({ path: [...path], message: 'has a lone surrogate or U+0000' });
  } else if (typeof value === 'number') {
    const message = numberError(value);
    if (message !== undefined) errors.push({ path: [...path], message });
  } else if (typeof value === 'object' && value !== null) {
    if (depth > MAX_PAYLOAD_DEPTH) {
      errors.push({ path: [...path], message: `is nested more than ${MAX_PAYLOAD_DEPTH} levels deep` });
      return;
    }
    if (Array.isArray(value)) {
      for (let index = 0; index < value.length; index++) {
        path.push(index);
        collectValueErrors(value[index], depth + 1, path, errors);
        path.pop();
      }
      return;
    }
    for (const name of Object.keys(value)) {
      path.push(name);
      if (name === '__proto__') errors.push({ path: [...path], message: 'is a forbidden name' });
      if (isUnstorable(name)) errors.push({ path: [...path], message: 'has a name with a lone surrogate or U+0000' });
      collectValueErrors((value as Record<string, unknown>)[name], depth + 1, path, errors);
      path.pop();
    }
  }
}

/** Whether a text has U+0000 or lone surrogates: databases reject or replace them, so that two names may become one. */
function isUnstorable(text: string): boolean {
  return /[\0\p{Cs}]/u.test(text);
}

function numberError(value: number): string | undefined {
  if (!Number.isFinite(value)) return 'is too large for a double (IEEE 754)';
  if (Number.isInteger(value) && !Number.isSafeInteger(value))
    return 'is an integer beyond ±9007199254740991: send it as a string';
  return undefined;
}
