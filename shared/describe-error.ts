const codeOf = (error: object) => ('code' in error && typeof error.code === 'string' ? error.code : undefined)

/** Whether a line of a stack is a frame, not part of a multi-line message. */
export const isStackFrame = (line: string) => /^ +at .*(?::\d+:\d+\)?|<anonymous>\)?)$/.test(line)

// A database error's message may contain row values or query parameters. The error code and stack frames locate the
// error without them.
const extractFrames = ({ stack = '', message }: Error) => {
  const start = stack.indexOf(message)
  return (start === -1 ? stack : stack.slice(start + message.length))
    .split('\n')
    .filter(isStackFrame)
    .slice(0, 12)
    .map((line) => line.trim())
}

const namesWithSafeMessage = [
  'ResponseMismatch',
  'NotPorted',
  'InvalidHeaderError',
  'RequestAbandoned',
  'NativeTimeout',
  'ReadOnlyViolation',
  'ModelError',
  'SettingsError',
  'TypeError',
  'RangeError',
]

// A TypeError about an invalid header or URL repeats its value.
const hasSafeMessage = ({ name, message }: Error) =>
  namesWithSafeMessage.includes(name) && !(name === 'TypeError' && /header|url/i.test(message))

/** Includes the message only for error classes known to be safe. */
export const describeError = (error: unknown): Readonly<Record<string, unknown>> => {
  if (!(error instanceof Error)) {
    const code = typeof error === 'object' && error !== null ? codeOf(error) : undefined
    return { thrown: typeof error, ...(code === undefined ? {} : { code }) }
  }
  return {
    name: error.name,
    code: codeOf(error),
    ...(hasSafeMessage(error) ? { reason: error.message } : {}),
    at: extractFrames(error),
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
  }
}
