import fc from 'fast-check'
import { expect } from 'vitest'
import * as z from 'zod'
import { errorRowOf, isErrorCode } from '#contracts/errors.ts'

/** Edge cases that are known to break parsers and validators. */
export const edgeCaseValues = fc.oneof(
  fc.jsonValue(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom<unknown>(
    null,
    '',
    ' ',
    '\u0000',
    '\ud800',
    '\u2028',
    '🎹'.repeat(301),
    1e308,
    -0,
    5e-324,
    2 ** 53,
    33.333335,
    [],
    [[]],
    {},
    { length: 1e9 },
    'constructor',
  ),
)

/** Mostly valid values, sometimes any value, so most generated bodies pass the first checks. */
export const mostlyValid = <T>(valid: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 12, arbitrary: valid }, { weight: 1, arbitrary: edgeCaseValues })

/** Raw bodies: mostly JSON, sometimes truncated or not JSON. */
export const rawBodies = (body: fc.Arbitrary<unknown>) =>
  fc.oneof(
    { weight: 20, arbitrary: body.map((value) => JSON.stringify(value)) },
    { weight: 2, arbitrary: edgeCaseValues.map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: fc.string({ minLength: 1 }) },
    { weight: 1, arbitrary: body.map((value) => JSON.stringify(value).slice(0, -1)) },
  )

/** Returns the error code of a response; throws unless its status and body match the contract exactly. */
export const requireDocumentedError = (status: number, body: { error?: unknown }) => {
  if (!isErrorCode(body.error)) throw new Error(`undocumented response ${status} ${JSON.stringify(body)}`)
  const { statuses, message, fields } = errorRowOf(body.error)
  expect(statuses).toContain(status)
  z.strictObject({ error: z.literal(body.error), message: z.literal(message), ...fields }).parse(body)
  return body.error
}
