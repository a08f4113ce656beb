import {
  type DescribedSchema,
  flatten,
  listWidenings,
  propertiesOf,
  type SchemaOf,
} from './schema-widenings.ts'

type Fields = Readonly<Record<string, unknown>>

export interface ApiShape {
  readonly paths: Fields
  readonly webhooks: Fields
  readonly components: Fields
}

const methods = ['get', 'put', 'post', 'patch', 'delete']

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {}
const listOf = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : [])

const resolveIn = (shape: ApiShape) => (ref: string) =>
  fieldsOf(
    ref
      .slice(2)
      .split('/')
      .reduce<unknown>((place, key) => fieldsOf(place)[key], shape),
  )

const follow = (shape: ApiShape, value: unknown): Fields => {
  const { $ref, ...fields } = fieldsOf(value)
  return typeof $ref === 'string' ? resolveIn(shape)($ref) : fields
}

interface Side {
  readonly shape: ApiShape
  readonly operation: Fields
  readonly parameters: readonly Fields[]
}

const listOperations = (shape: ApiShape) => {
  const operations = new Map<string, Side>()
  for (const [path, item] of Object.entries({ ...shape.paths, ...shape.webhooks }))
    for (const method of methods) {
      const operation = fieldsOf(item)[method]
      if (operation === undefined) continue
      const parameters = [...listOf(fieldsOf(item).parameters), ...listOf(fieldsOf(operation).parameters)]
      operations.set(`${method.toUpperCase()} ${path}`, {
        shape,
        operation: fieldsOf(operation),
        parameters: parameters.map((parameter) => follow(shape, parameter)),
      })
    }
  return operations
}

const schemaIn = (shape: ApiShape, schema: unknown): SchemaOf => ({
  schema: fieldsOf(schema) as DescribedSchema,
  resolve: (ref) => resolveIn(shape)(ref) as DescribedSchema,
})

const bodySchema = (body: unknown) => fieldsOf(fieldsOf(fieldsOf(body).content)['application/json']).schema

// Removing a field breaks both the clients that read it and those that send it.
const listRemovedFields = (before: SchemaOf, after: SchemaOf, path: string, depth = 0): readonly string[] => {
  if (depth > 8) return []
  const [old, current] = [flatten(before), flatten(after)]
  const fields = propertiesOf(current)
  const own = Object.entries(propertiesOf(old)).flatMap(([name, schema]) => {
    const field = fields[name]
    if (!field) return [`${path}.${name} was removed`]
    return listRemovedFields({ ...before, schema }, { ...after, schema: field }, `${path}.${name}`, depth + 1)
  })
  const [items, currentItems] = [old.items, current.items]
  return items && currentItems
    ? [
        ...own,
        ...listRemovedFields(
          { ...before, schema: fieldsOf(items) as DescribedSchema },
          { ...after, schema: fieldsOf(currentItems) as DescribedSchema },
          `${path}[]`,
          depth + 1,
        ),
      ]
    : own
}

const listOutputChanges = (before: SchemaOf, after: SchemaOf, path: string) => [
  ...listRemovedFields(before, after, path),
  ...listWidenings(before, after, path).map((text) => `${text} (now possible)`),
]

const listInputChanges = (before: SchemaOf, after: SchemaOf, path: string) => [
  ...listRemovedFields(before, after, path),
  ...listWidenings(after, before, path).map((text) => `${text} (no longer accepted)`),
]

const listParameterChanges = (before: Side, after: Side) => [
  ...before.parameters.flatMap((parameter) => {
    const same = after.parameters.find(
      ({ name, in: place }) => name === parameter.name && place === parameter.in,
    )
    const path = `the parameter ${parameter.name}`
    if (!same) return [`${path} was removed`]
    return [
      ...(same.required && !parameter.required ? [`${path} is now required`] : []),
      ...listInputChanges(schemaIn(before.shape, parameter.schema), schemaIn(after.shape, same.schema), path),
    ]
  }),
  ...after.parameters
    .filter(({ name, required }) => required && !before.parameters.some((known) => known.name === name))
    .map(({ name }) => `the parameter ${name} is new and required`),
]

const listBodyChanges = (before: Side, after: Side) => {
  const [old, current] = [before.operation.requestBody, after.operation.requestBody]
  if (current === undefined) return old === undefined ? [] : ['the request body was removed']
  if (fieldsOf(current).required && !fieldsOf(old).required) return ['the request body is now required']
  if (old === undefined) return []
  return listInputChanges(
    schemaIn(before.shape, bodySchema(old)),
    schemaIn(after.shape, bodySchema(current)),
    'the request body',
  )
}

const listResponseChanges = (before: Side, after: Side) =>
  Object.entries(fieldsOf(before.operation.responses)).flatMap(([status, response]) => {
    const current = fieldsOf(after.operation.responses)[status]
    if (current === undefined) return [`the status ${status} was removed`]
    const [old, now] = [follow(before.shape, response), follow(after.shape, current)]
    const headers = Object.keys(fieldsOf(old.headers)).filter((name) => !(name in fieldsOf(now.headers)))
    const path = `the response ${status}`
    const isBodyGone = bodySchema(old) !== undefined && bodySchema(now) === undefined
    return [
      ...headers.map((name) => `${path} no longer has the header ${name}`),
      ...(isBodyGone
        ? [`${path} no longer has a body`]
        : listOutputChanges(
            schemaIn(before.shape, bodySchema(old)),
            schemaIn(after.shape, bodySchema(now)),
            path,
          )),
    ]
  })

const listSecurityChanges = (before: Side, after: Side) => {
  const credentialsOf = ({ operation }: Side) =>
    operation.security === undefined
      ? ['{"actor":[]}']
      : listOf(operation.security).map((each) => JSON.stringify(each))
  const [old, current] = [credentialsOf(before), credentialsOf(after)]
  if (current.length === 0) return []
  const isLost = old.length === 0 || old.some((each) => !current.includes(each))
  return isLost ? ['it requires different credentials'] : []
}

const listOperationChanges = (before: Side, after: Side) => [
  ...(before.operation.operationId === after.operation.operationId ? [] : ['its operationId has changed']),
  ...listSecurityChanges(before, after),
  ...listParameterChanges(before, after),
  ...listBodyChanges(before, after),
  ...listResponseChanges(before, after),
]

const schemaNamesOf = ({ components }: ApiShape) => Object.keys(fieldsOf(components.schemas))

/**
 * Lists, as sentences, what changed between two descriptions and breaks clients of the first. Additions break nothing:
 * new operations, statuses, optional parameters and fields, and new values of enums that are open or that only clients
 * send.
 */
export const listBreakingChanges = (before: ApiShape, after: ApiShape): readonly string[] => {
  const current = listOperations(after)
  const operations = [...listOperations(before)].flatMap(([name, side]) => {
    const same = current.get(name)
    return same ? listOperationChanges(side, same).map((text) => `${name}: ${text}`) : [`${name} was removed`]
  })
  const names = schemaNamesOf(after)
  const schemas = schemaNamesOf(before)
    .filter((name) => !names.includes(name))
    .map((name) => `the schema ${name} was removed or renamed`)
  return [...new Set([...operations, ...schemas])]
}
