import { isDeepStrictEqual } from 'node:util'
import type { SchemaName } from '#contracts/docs/schema-names.ts'
import type { JsonSchema } from './json-schema.ts'

/** Maps each schema that has every field of another schema, and more, to that other schema. */
const extendedBy: { readonly [N in SchemaName]?: SchemaName } = {
  LibraryListRecord: 'Library',
  SharedLibrary: 'Library',
  IssuedTrackShareLink: 'TrackShareLink',
  IssuedSplitSheetShareLink: 'SplitSheetShareLink',
  VersionList: 'Versions',
  PackShareEvent: 'ShareEvent',
  CountsOfDay: 'Counts',
  CountsWithVisitors: 'Counts',
  CountsOfLink: 'CountsWithVisitors',
  PackAnalytics: 'LinkAnalytics',
  TrackAnalytics: 'LinkAnalytics',
  PlanCheckout: 'BillingSession',
}

type ObjectSchema = Pick<JsonSchema, 'properties' | 'required'>
type Schemas = Readonly<Record<string, object>>

export const findBase = (name: string): SchemaName | undefined =>
  Object.entries(extendedBy).find(([extension]) => extension === name)?.[1]

const extend = (schema: ObjectSchema, base: ObjectSchema, baseName: string, name: string): JsonSchema => {
  const own = Object.entries(schema.properties ?? {}).filter(([field]) => !(field in (base.properties ?? {})))
  const inherited = Object.entries(base.properties ?? {})
  const isSame = ([field, described]: [string, unknown]) =>
    isDeepStrictEqual(schema.properties?.[field], described) &&
    (schema.required ?? []).includes(field) === (base.required ?? []).includes(field)
  if (!inherited.every(isSame))
    throw new Error(`${name} must repeat every field of ${baseName} unchanged: see extensions.ts`)
  const required = (schema.required ?? []).filter((field) => !(base.required ?? []).includes(field))
  return {
    allOf: [
      { $ref: `#/components/schemas/${baseName}` },
      { type: 'object', properties: Object.fromEntries(own), ...(required.length > 0 ? { required } : {}) },
    ],
  }
}

export const describeExtensions = (schemas: Schemas): Schemas =>
  Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => {
      const baseName = findBase(name)
      const base = baseName && schemas[baseName]
      return [name, base ? extend(schema, base, baseName, name) : schema]
    }),
  )
