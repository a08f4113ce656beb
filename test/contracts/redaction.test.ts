import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { zocker } from 'zocker'
import * as z from 'zod'
import { contracts } from '#contracts/registry.ts'
import type { Contract } from '#contracts/shared/contract.ts'
import { AbsoluteUrl, openEnum, SignedUrl } from '#contracts/shared/primitives.ts'

const responses = Object.values<Contract>(contracts).flatMap(({ label, responses }) =>
  Object.entries(responses).flatMap(([status, schema]) =>
    schema ? [{ answer: `${label} ${status}`, schema }] : [],
  ),
)

const plainTypes = ['string', 'number', 'boolean', 'enum', 'literal']
const headerRecord = 'requiredHeaders'

/** The faults of a response schema: constructs that let a key through unseen, or change a value while redacting. */
const faultsOf = (schema: z.core.$ZodType, path: string): string[] => {
  const { def } = schema._zod as z.core.$ZodTypes['_zod']
  if (plainTypes.includes(def.type)) return []
  switch (def.type) {
    case 'object':
      return [
        ...(def.catchall ? [`${path}: an object that accepts or refuses unknown keys`] : []),
        ...Object.entries(def.shape).flatMap(([key, field]) => faultsOf(field, `${path}.${key}`)),
      ]
    case 'array':
      return faultsOf(def.element, `${path}.*`)
    case 'nullable':
    case 'optional':
      return faultsOf(def.innerType, path)
    case 'union':
      return def.options.flatMap((option) => faultsOf(option, path))
    case 'record':
      return path.endsWith(`.${headerRecord}`) && def.valueType._zod.def.type === 'string'
        ? []
        : [`${path}: a record`]
    default:
      return [`${path}: ${def.type}`]
  }
}

const keysOf = (value: unknown): string[] => {
  if (Array.isArray(value)) return value.flatMap(keysOf)
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([key, inner]) => [key, ...keysOf(inner)])
}

const secrets = {
  ownerId: 'acct_owner',
  storageUri: 's3://bucket/key',
  storageKey: 'originals/key',
  tokenHash: 'f'.repeat(64),
  accessCodeHash: 'f'.repeat(64),
  playbackUrl: 'https://store.test/key',
  providerLinkId: 'link_1',
  visitorId: 'visitor',
  unlisted: { nested: [{ ownerId: 'acct_owner' }] },
}

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
  it.each(responses)('$answer is made of nothing that lets unlisted keys through', ({ answer, schema }) => {
    expect(faultsOf(schema, answer)).toEqual([])
  })

  it.each(responses)('$answer names no field that must never leave', ({ answer, schema }) => {
    const names = JSON.stringify(z.toJSONSchema(schema))
    for (const secret of Object.keys(secrets)) expect(names, answer).not.toContain(`"${secret}"`)
  })

  it.each(responses)('$answer drops what it does not name, at every depth', ({ schema }) => {
    fc.assert(
      fc.property(fc.integer({ min: 0 }), (seed) => {
        const valid = zocker(schema).setSeed(seed).generate()
        const sent = schema.parse(withSecrets(valid))
        expect(sent).toEqual(schema.parse(valid))
        for (const secret of Object.keys(secrets)) expect(keysOf(sent)).not.toContain(secret)
      }),
      { numRuns: 15 },
    )
  })

  it.each(['s3://bucket/key', 'gs://bucket/key', 'file:///data/key', 'javascript:alert(1)', '/key', ''])(
    'refuses the address %j',
    (address) => {
      expect(SignedUrl.safeParse(address).success).toBe(false)
      expect(AbsoluteUrl.safeParse(address).success).toBe(false)
    },
  )

  it('lets an open word grow, and nothing but a word', () => {
    const Kind = openEnum(['known'])
    expect(Kind.parse('added_later')).toBe('added_later')
    for (const other of ['s3://bucket/key', 'Two Words', '', 'x'.repeat(65)])
      expect(Kind.safeParse(other).success).toBe(false)
  })
})
