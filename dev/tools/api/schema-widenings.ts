export interface DescribedSchema {
  readonly [keyword: string]: unknown
}

/** Looks up `#/components/schemas/NAME` in a document. */
type ResolveSchema = (ref: string) => DescribedSchema

export interface SchemaOf {
  readonly schema: DescribedSchema
  readonly resolve: ResolveSchema
}

const isSchema = (value: unknown): value is DescribedSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const listSchemas = (value: unknown): readonly DescribedSchema[] =>
  Array.isArray(value) ? value.filter(isSchema) : []

const listTexts = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : [])

export const propertiesOf = ({ properties }: DescribedSchema): Readonly<Record<string, DescribedSchema>> =>
  isSchema(properties)
    ? Object.fromEntries(
        Object.entries(properties).flatMap(([name, schema]) => (isSchema(schema) ? [[name, schema]] : [])),
      )
    : {}

/** Replaces a schema's `$ref` and `allOf` with what they refer to. */
export const flatten = ({ schema, resolve }: SchemaOf): DescribedSchema => {
  const { $ref, allOf, ...own } = schema
  const parts = [...(typeof $ref === 'string' ? [resolve($ref)] : []), ...listSchemas(allOf)].map((part) =>
    flatten({ schema: part, resolve }),
  )
  if (parts.length === 0) return schema
  const all = [...parts, own]
  const required = [...new Set(all.flatMap((part) => listTexts(part.required)))]
  return {
    ...Object.assign({}, ...all),
    ...(all.some((part) => part.properties)
      ? { properties: Object.assign({}, ...all.map(propertiesOf)) }
      : {}),
    ...(required.length > 0 ? { required } : {}),
  }
}

const typesOf = ({ type }: DescribedSchema): readonly string[] | null =>
  typeof type === 'string' ? [type] : Array.isArray(type) ? type.map(String) : null

const valuesOf = (schema: DescribedSchema): readonly unknown[] | null => {
  if ('const' in schema) return [schema.const]
  return Array.isArray(schema.enum) ? schema.enum : null
}

const alternativesOf = ({ anyOf, oneOf }: DescribedSchema) => [...listSchemas(anyOf), ...listSchemas(oneOf)]

const isWiderType = (type: string, allowed: readonly string[]) =>
  !allowed.includes(type) && !(type === 'integer' && allowed.includes('number'))

const listTypeWidenings = (from: DescribedSchema, to: DescribedSchema) => {
  const allowed = typesOf(from)
  if (allowed === null) return []
  const types = typesOf(to)
  if (types === null) return alternativesOf(to).length > 0 || valuesOf(to) ? [] : ['any type']
  return types.filter((type) => isWiderType(type, allowed)).map((type) => `the type ${type}`)
}

const listValueWidenings = (from: DescribedSchema, to: DescribedSchema) => {
  const allowed = valuesOf(from)
  if (allowed === null) return []
  const values = valuesOf(to)
  if (values === null) return ['any value']
  return values
    .filter((value) => !allowed.includes(value))
    .map((value) => `the value ${JSON.stringify(value)}`)
}

const lowerBounds = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties']
const upperBounds = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties']
const exactKeywords = ['pattern', 'format']

const listLimitWidenings = (from: DescribedSchema, to: DescribedSchema) => {
  const isLooser = (keyword: string, isBeyond: (a: number, b: number) => boolean) =>
    keyword in from && !(keyword in to && !isBeyond(Number(to[keyword]), Number(from[keyword])))
  return [
    ...lowerBounds.filter((keyword) => isLooser(keyword, (a, b) => a < b)),
    ...upperBounds.filter((keyword) => isLooser(keyword, (a, b) => a > b)),
    ...exactKeywords.filter((keyword) => keyword in from && to[keyword] !== from[keyword]),
    ...(from.additionalProperties === false && to.additionalProperties !== false ? ['unknown fields'] : []),
  ].map((keyword) => `values beyond ${keyword}`)
}

const listRequiredWidenings = (from: DescribedSchema, to: DescribedSchema) =>
  listTexts(from.required)
    .filter((name) => !listTexts(to.required).includes(name))
    .map((name) => `values without ${name}`)

const at = (path: string, widenings: readonly string[]) => widenings.map((text) => `${path}: ${text}`)

/**
 * Lists what `to` allows but `from` does not: each path, and what is allowed there. Ignores fields that only one of
 * them has, because no client relies on those.
 */
export const listWidenings = (
  from: SchemaOf,
  to: SchemaOf,
  path: string,
  visited: ReadonlySet<string> = new Set(),
): readonly string[] => {
  const key = `${from.schema.$ref} ${to.schema.$ref}`
  if (from.schema.$ref && visited.has(key)) return []
  const seen = new Set([...visited, key])
  const [before, after] = [flatten(from), flatten(to)]
  const compare = (a: DescribedSchema, b: DescribedSchema, where: string) =>
    listWidenings({ ...from, schema: a }, { ...to, schema: b }, where, seen)
  const options = alternativesOf(before)
  if (options.length > 0) {
    const wider = alternativesOf(after).length > 0 ? alternativesOf(after) : [after]
    return wider
      .filter((option) => options.every((known) => compare(known, option, path).length > 0))
      .map((option) => `${path}: the alternative ${String(option.$ref ?? JSON.stringify(option))}`)
  }
  const fields = propertiesOf(after)
  return [
    ...at(path, listTypeWidenings(before, after)),
    ...at(path, listValueWidenings(before, after)),
    ...at(path, listLimitWidenings(before, after)),
    ...at(path, listRequiredWidenings(before, after)),
    ...Object.entries(propertiesOf(before)).flatMap(([name, field]) =>
      fields[name] ? compare(field, fields[name], `${path}.${name}`) : [],
    ),
    ...(isSchema(before.items) && isSchema(after.items)
      ? compare(before.items, after.items, `${path}[]`)
      : []),
  ]
}
