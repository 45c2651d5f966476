interface ErrorFields {
  type: string;
  message: string;
  code?: string;
  stack?: string;
  cause?: ErrorFields;
}

/** Causes that are followed; more would be a ring. */
const MAX_CAUSES = 5;

/**
 * What the log has of an error. Not every member of it: PostgreSQL names the values of the row in
 * `detail` and `where`, and those are payload.
 */
export function errorFields(error: unknown, causes = MAX_CAUSES): ErrorFields {
  if (!(error instanceof Error)) return { type: typeof error, message: 'something was thrown that is no error' };
  const { name, message, stack, cause } = error;
  const code = codeOf(error);
  return {
    type: name,
    message,
    ...(code !== undefined && { code }),
    ...(stack !== undefined && { stack }),
    ...(cause !== undefined && causes > 0 && { cause: errorFields(cause, causes - 1) }),
  };
}

/** An error in a few words, for where its stack says nothing. */
export function inBrief(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  // A refused connection to a name with several addresses has a code and no message.
  return [codeOf(error), error.message].filter(Boolean).join(' ');
}

function codeOf(error: Error): string | undefined {
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === 'string' ? code : undefined;
}
