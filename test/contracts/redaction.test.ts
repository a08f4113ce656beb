import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { zocker } from 'zocker'
import { contracts } from '#contracts/registry.ts'
import type { Contract } from '#contracts/shared/contract.ts'
import { AbsoluteUrl, openEnum, SignedUrl } from '#contracts/shared/primitives.ts'
import { countCases } from '#test/support/count-cases.ts'
import { internalFields } from '#test/support/internal-fields.ts'

const responses = Object.values<Contract>(contracts).flatMap(({ label, responses }) =>
  Object.entries(responses).flatMap(([status, schema]) =>
    schema ? [{ response: `${label} ${status}`, schema }] : [],
  ),
)

const headerRecord = 'requiredHeaders'

const keysOf = (value: unknown): string[] => {
  if (Array.isArray(value)) return value.flatMap(keysOf)
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([key, inner]) => [key, ...keysOf(inner)])
}

const secrets = { ...internalFields, unlisted: { nested: [{ ownerId: 'acct_owner' }] } }

const withSecrets = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withSecrets)
  if (value === null || typeof value !== 'object') return value
  const fields = Object.entries(value).map(([key, inner]) => [
    key,
    key === headerRecord ? inner : withSecrets(inner),
  ])
  return { ...Object.fromEntries(fields), ...secrets }
}

describe('a response schema', () => {
  it.each(responses)('removes unlisted fields at every depth: $response', ({ schema }) => {
    fc.assert(
      fc.property(fc.integer({ min: 0 }), (seed) => {
        const valid = zocker(schema).setSeed(seed).generate()
        const sent = schema.parse(withSecrets(valid))
        expect(sent).toEqual(schema.parse(valid))
        for (const secret of Object.keys(secrets)) expect(keysOf(sent)).not.toContain(secret)
      }),
      { numRuns: countCases(15, 0.2) },
    )
  })

  it.each(['s3://bucket/key', 'gs://bucket/key', 'file:///data/key', 'javascript:alert(1)', '/key', ''])(
    'rejects the URL %j',
    (address) => {
      expect(SignedUrl.safeParse(address).success).toBe(false)
      expect(AbsoluteUrl.safeParse(address).success).toBe(false)
    },
  )

  it("accepts an open enum's unknown values only in lower case", () => {
    const Kind = openEnum(['known'])
    expect(Kind.parse('added_later')).toBe('added_later')
    for (const other of ['s3://bucket/key', 'Two Words', '', 'x'.repeat(65)])
      expect(Kind.safeParse(other).success).toBe(false)
  })
})
