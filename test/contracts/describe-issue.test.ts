import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { ApiError, Issue } from '#contracts/errors.ts'
import { contracts } from '#contracts/registry.ts'
import type { Contract } from '#contracts/shared/contract.ts'
import { parse } from '#contracts/shared/parse.ts'

const listIssues = (schema: z.ZodType, value: unknown): readonly Issue[] => {
  try {
    parse(schema, value)
    return []
  } catch (error) {
    return (error as ApiError).body.issues as Issue[]
  }
}

describe('validation messages', () => {
  it.each<[schema: z.ZodType, value: unknown, message: string]>([
    [z.string(), undefined, 'a is required.'],
    [z.string(), null, 'a must be a string.'],
    [z.int(), 'x', 'a must be a number.'],
    [z.int(), 1.5, 'a must be an integer.'],
    [z.array(z.string()), {}, 'a must be a list.'],
    [z.array(z.string()).min(1), [], 'a must not be empty.'],
    [z.array(z.string()).max(2), ['', '', ''], 'a must have at most 2 items.'],
    [z.string().min(3), 'ab', 'a must have at least 3 characters.'],
    [z.number().min(1), 0, 'a must be at least 1.'],
    [z.number().lt(1), 1, 'a must be less than 1.'],
    [z.enum(['x', 'y']), 'z', 'a must be one of x, y.'],
    [z.enum(['x', 'y']), undefined, 'a is required.'],
    [z.literal('x'), 'z', 'a must be x.'],
    [z.email(), 'z', 'a must be an e-mail address.'],
    [z.string().regex(/^secret-pattern$/), 'z', 'a must be written in the documented format.'],
    [z.union([z.string(), z.boolean()]), 1, 'a matches none of the documented forms.'],
  ])('say what the field must be (%#)', (schema, value, message) => {
    expect(listIssues(z.object({ a: schema }), { a: value })).toEqual([{ path: 'a', message }])
  })

  it('name the unknown field, or the request if it is not an object', () => {
    expect(listIssues(z.strictObject({}), { b: 1 })).toEqual([
      { path: 'b', message: 'b is not a known field.' },
    ])
    expect(listIssues(z.object({}), 7)).toEqual([{ path: '', message: 'The request must be an object.' }])
  })

  const bodies = Object.values(contracts).flatMap(({ label, body }: Contract) =>
    body ? [[label, body] as const] : [],
  )
  const fieldsOf = (schema: z.ZodType) =>
    Object.keys(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }).properties ?? {})
  it.each(bodies)('are sentences and reveal no regular expression, for the body of %s', (_, schema) => {
    const fields = fieldsOf(schema)
    const wrong = [undefined, null, true, -1, 1e9, '', '\u0000', 'x'.repeat(60_000), [], {}, [{}]]
    const messages = wrong
      .flatMap((value) => [
        ...listIssues(schema, value),
        ...listIssues(schema, Object.fromEntries(fields.map((name) => [name, value]))),
      ])
      .map(({ message }) => message)
    expect(messages.length).toBeGreaterThan(0)
    for (const message of messages) {
      expect(message).toMatch(/^\S.* (?:must|is|has) .+\.$/)
      expect(message).not.toMatch(/undefined|Invalid|expected|received|[\\^$]/)
    }
  })
})
