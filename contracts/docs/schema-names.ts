import type * as z from 'zod'
import { StoredFinding } from '../catalog-analysis.threads.ts'
import { Issue, QuotaName } from '../errors.ts'
import { StemKind, TagCategory } from '../shared/media-analysis.ts'
import { analyticsNames } from './schema-names/analytics.ts'
import { billingNames } from './schema-names/billing.ts'
import { catalogAnalysisNames } from './schema-names/catalog-analysis.ts'
import { deliveryNames } from './schema-names/deliveries.ts'
import { internalNames } from './schema-names/internal.ts'
import { libraryNames } from './schema-names/libraries.ts'
import { packNames } from './schema-names/packs.ts'
import { sharingNames } from './schema-names/sharing.ts'
import { splitSheetNames } from './schema-names/split-sheets.ts'
import { trackNames } from './schema-names/tracks.ts'

/** Schemas with a name in the API description. Generated clients have types with these names. */
export const namedSchemas = {
  Issue,
  QuotaName,
  TagCategory,
  StemKind,
  ...trackNames,
  ...splitSheetNames,
  ...sharingNames,
  ...packNames,
  ...libraryNames,
  ...billingNames,
  ...analyticsNames,
  ...catalogAnalysisNames,
  ...deliveryNames,
  ...internalNames,
} as const satisfies Readonly<Record<string, z.ZodType>>

export type SchemaName = keyof typeof namedSchemas

const isSchemaName = (name: string): name is SchemaName => Object.hasOwn(namedSchemas, name)

export const schemaNames: readonly SchemaName[] = Object.keys(namedSchemas).filter(isSchemaName)

// Several schemas may share a name.
const names = new Map<z.core.$ZodType, SchemaName>([
  ...schemaNames.map((name) => [namedSchemas[name], name] as const),
  [StoredFinding, 'Finding'],
])

/** Returns a schema's name in the API description; undefined if it is described inline. */
export const findSchemaName = (schema: z.core.$ZodType): SchemaName | undefined => names.get(schema)

/** Returns the name of a response body's schema. Throws if it has none. */
export const requireSchemaName = (schema: z.core.$ZodType): SchemaName => {
  const name = findSchemaName(schema)
  if (name === undefined) throw new Error('give the schema of each response body a name in schema-names.ts')
  return name
}
