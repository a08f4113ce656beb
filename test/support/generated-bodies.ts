import fc from 'fast-check'
import { expect } from 'vitest'
import * as z from 'zod'
import { type ErrorCode, errorTable } from '#contracts/errors.ts'

/** Values that have broken somebody's parser. */
export const awkward = fc.oneof(
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

/** Mostly what is valid, sometimes anything: so the generated bodies go deep before they go wrong. */
export const mostly = <T>(valid: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 12, arbitrary: valid }, { weight: 1, arbitrary: awkward })

/** Bodies as bytes: JSON mostly, now and then cut off or nothing of the kind. */
export const rawBodies = (body: fc.Arbitrary<unknown>) =>
  fc.oneof(
    { weight: 20, arbitrary: body.map((value) => JSON.stringify(value)) },
    { weight: 2, arbitrary: awkward.map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: fc.string({ minLength: 1 }) },
    { weight: 1, arbitrary: body.map((value) => JSON.stringify(value).slice(0, -1)) },
  )

const isErrorCode = (code: unknown): code is ErrorCode => typeof code === 'string' && code in errorTable

/** The contract's word for a refusal, which its body follows to the letter. */
export const documentedError = (status: number, body: { error?: unknown }) => {
  if (!isErrorCode(body.error)) throw new Error(`undocumented answer ${status} ${JSON.stringify(body)}`)
  const [statuses, fields = {}]: readonly [readonly number[], z.ZodRawShape?] = errorTable[body.error]
  expect(statuses).toContain(status)
  z.strictObject({ error: z.literal(body.error), ...fields }).parse(body)
  return body.error
}
