import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { contracts } from '#contracts/registry.ts'
import type { Contract } from '#contracts/shared/contract.ts'
import { internalFields } from '#test/support/internal-fields.ts'

const scalarTypes = ['string', 'number', 'boolean', 'enum', 'literal']
const headerRecord = 'requiredHeaders'

const listFieldFindings = (key: string, field: z.core.$ZodType, path: string) => [
  ...(Object.hasOwn(internalFields, key) ? [`${path} contains the internal field ${key}`] : []),
  ...listFindings(field, `${path}.${key}`),
]

/** Lists what a response schema lets through that clients must not see: internal fields and unlisted keys. */
const listFindings = (schema: z.core.$ZodType, path: string): string[] => {
  const { def } = schema._zod as z.core.$ZodTypes['_zod']
  if (scalarTypes.includes(def.type)) return []
  switch (def.type) {
    case 'object':
      return [
        ...(def.catchall ? [`${path} is an object that accepts or rejects unknown keys`] : []),
        ...Object.entries(def.shape).flatMap(([key, field]) => listFieldFindings(key, field, path)),
      ]
    case 'array':
      return listFindings(def.element, `${path}.*`)
    case 'nullable':
    case 'optional':
      return listFindings(def.innerType, path)
    case 'union':
      return def.options.flatMap((option) => listFindings(option, path))
    case 'record':
      return path.endsWith(`.${headerRecord}`) && def.valueType._zod.def.type === 'string'
        ? []
        : [`${path} is a record, which lets every key through`]
    default:
      return [`${path} is ${def.type}, which may let a key through or change a value`]
  }
}

const findingsOf = (contract: Contract) =>
  Object.entries(contract.responses).flatMap(([status, schema]) =>
    schema ? listFindings(schema, `the response ${status} of ${contract.label}`) : [],
  )

describe('the response schemas', () => {
  it('have no internal fields, and remove unlisted keys', () => {
    expect(Object.values<Contract>(contracts).flatMap(findingsOf)).toEqual([])
  })

  it.each([
    ['an internal field', z.object({ storageKey: z.string() }), 'r contains the internal field storageKey'],
    [
      'an internal field of a nested record',
      z.object({ tracks: z.array(z.object({ ownerId: z.string() }).nullable()) }),
      'r.tracks.* contains the internal field ownerId',
    ],
    ['a loose object', z.looseObject({}), 'r is an object that accepts or rejects unknown keys'],
    ['a strict object', z.strictObject({}), 'r is an object that accepts or rejects unknown keys'],
    [
      'a record',
      z.object({ of: z.record(z.string(), z.string()) }),
      'r.of is a record, which lets every key through',
    ],
    [
      'any value',
      z.object({ of: z.any().optional() }),
      'r.of is any, which may let a key through or change a value',
    ],
  ])('must not contain %s', (_, schema, finding) => {
    expect(listFindings(schema, 'r')).toEqual([finding])
  })
})
