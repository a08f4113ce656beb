const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const scalarTypes: readonly unknown[] = ['string', 'integer', 'number', 'boolean']

const joinNull = (schema: Readonly<Record<string, unknown>>) => {
  const { anyOf, ...rest } = schema
  const [value, other, ...more] = Array.isArray(anyOf) ? anyOf : []
  const isNullable = isObject(value) && isObject(other) && other.type === 'null' && more.length === 0
  if (!isNullable || !scalarTypes.includes(value.type)) return schema
  const { type, ...described } = value
  const { enum: values } = described
  return {
    ...rest,
    type: [type, 'null'],
    ...described,
    ...(Array.isArray(values) ? { enum: [...values, null] } : {}),
  }
}

/** Describes each scalar that may be null by two types instead of a union, which is longer. */
export const joinNulls = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(joinNulls)
  if (!isObject(value)) return value
  return joinNull(Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, joinNulls(inner)])))
}
