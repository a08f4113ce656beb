import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fastify from 'fastify'
import { findExample } from '#contracts/docs/examples.ts'
import { operationTexts } from '#contracts/docs/operation-texts.ts'
import { findSchemaName } from '#contracts/docs/schema-names.ts'
import { contracts } from '#contracts/registry.ts'
import type { Label } from '#contracts/route-table.ts'
import type { Contract } from '#contracts/shared/contract.ts'
import { labels, type Row, rowOf } from '#contracts/shared/row.ts'
import { areas, trackAreas } from '#dev/sandbox/core/areas.ts'
import type { CoreParts } from '#dev/sandbox/core/create-app.ts'
import { readCoreSettings } from '#dev/sandbox/core/settings.ts'
import { findReadsAfter } from '#migration/parity/paired-reads.ts'
import { preparations } from '#migration/parity/reproduce/preparations.ts'
import { isRead } from '#migration/parity/run/pairs.ts'
import { handlers } from '#native-routes/index.ts'
import { responseTransactionOf } from '#native-routes/response-transactions.ts'
import { files, root } from './source-files.ts'

export interface CheckedRoute {
  readonly label: Label
  readonly row: Row
  readonly contract: Contract | undefined
  readonly hasHandler: boolean
}

// The scenarios read every row's contract, so they cannot be loaded while a contract is missing.
const scenarios = await import('#test/scenarios/index.ts').then(
  (module) => module.scenarios,
  () => null,
)

const read = (file: string) => readFileSync(join(root, file), 'utf8')
const hasEntry = (file: string, label: string) => read(file).includes(`'${label}'`)

/**
 * Finds the file in a folder where a label belongs: the one with the most labels of the same resource, or else of the
 * same area.
 */
const findNeighbour = (folder: string, label: string) => {
  const candidates = files.filter(
    (file) => file.startsWith(folder) && !file.slice(folder.length).includes('/'),
  )
  const parts = label.split('.')
  for (let length = parts.length - 1; length > 0; length -= 1) {
    const name = parts.slice(0, length).join('.')
    if (candidates.includes(`${folder}${name}.ts`)) return `${folder}${name}.ts`
    const prefix = new RegExp(`['/]${name.replaceAll('.', '\\.')}\\.`, 'g')
    const counted = candidates.map((file) => ({ file, count: read(file).match(prefix)?.length ?? 0 }))
    const [best] = counted.sort((a, b) => b.count - a.count)
    if (best && best.count > 0) return best.file
  }
  return folder
}

/** Whether a test's source contains a route's whole label outside of comments. */
export const isNamed = (label: string, source: string) =>
  new RegExp(`(?<![\\w.-])${label.replaceAll('.', '\\.')}(?![\\w-]|\\.\\w)`).test(
    source.replaceAll(/^\s*\/\/.*$/gm, ''),
  )

export const listTestsOf = (label: string) =>
  files.filter((file) => /^test\/native-routes\/.*\.test\.ts$/.test(file) && isNamed(label, read(file)))

const keyOf = (method: string, path: string) => `${method} ${path.replaceAll(/:\w+/g, ':')}`

const listCoreRoutes = (): ReadonlySet<string> => {
  const routes = new Set<string>()
  const app = fastify()
  app.addHook('onRoute', ({ method, url }) => {
    for (const one of [method].flat()) routes.add(keyOf(one, url))
  })
  const settings = readCoreSettings({
    DATABASE_URL: 'postgres://127.0.0.1',
    AUTH_ISSUER: 'issuer',
    AUTH_AUDIENCE: 'audience',
    AUTH_JWKS_URL: 'http://127.0.0.1',
  })
  // Only handlers use the other parts, and no handler is called here.
  const parts = { settings } as CoreParts
  for (const register of [...areas, ...trackAreas]) register(app, parts)
  return routes
}
const coreRoutes = listCoreRoutes()

const returnsRecords = ({ responses }: Contract) => {
  const parsed = responses[200]?.safeParse({ records: [], nextCursor: null })
  return parsed?.success === true && JSON.stringify(parsed.data).includes('"records"')
}

const listDocumentationGaps = (label: Label, contract: Contract | undefined) => {
  const { body, responses = {} } = contract ?? {}
  const texts = 'contracts/docs/operation-texts/'
  const where = 'contracts/docs/schema-names.ts'
  const text = operationTexts[label]
  return [
    text === undefined && `operation text: ${findNeighbour(texts, label)}`,
    body && text?.body === undefined && `example of the request body: ${findNeighbour(texts, label)}`,
    body && findSchemaName(body) === undefined && `name of the request body's schema: ${where}`,
    contract === undefined && `names of its schemas: ${where}`,
    contract === undefined && 'examples of its responses: contracts/docs/examples/',
    ...Object.entries(responses).flatMap(([status, schema]) => {
      if (!schema) return []
      const name = findSchemaName(schema)
      return [
        name === undefined && `name of the schema of ${status}: ${where}`,
        (name === undefined || findExample(name) === undefined) &&
          `example of ${name ?? `the schema of ${status}`}: contracts/docs/examples/`,
      ]
    }),
    !read('contracts/accepted-api.json').includes(`"${label}"`) &&
      'generated files, once the rest is there: npm run errors-page && npm run client-types && npm run accept-api',
  ]
}

const pathParams = (path: string) => [...path.matchAll(/:(\w+)/g)].map(([, name]) => name ?? '')

const listReadBackGaps = (label: Label, { path, effects }: Row) => {
  if (effects === 'none') return []
  const pairedReads = 'migration/parity/paired-reads.ts'
  const reads = findReadsAfter(label)
  if (reads === undefined || ('none' in reads ? reads.none === '' : reads.length === 0))
    return [`read-back, the GETs that show its effect, or why there are none: ${pairedReads}`]
  if ('none' in reads) return []
  return reads.flatMap((read) => {
    const known = new Set([...pathParams(path), ...Object.keys(read.fromResponse ?? {})])
    const unknown = pathParams(rowOf(read.label).path).filter((name) => !known.has(name))
    return unknown.length > 0 || !isRead(read.label)
      ? [`read-back ${read.label} that is a GET with known path parameters: ${pairedReads}`]
      : []
  })
}

const listComparisonGaps = (label: Label, { method }: Row, contract: Contract | undefined) => {
  const succeeds =
    scenarios?.some((scenario) => scenario.label === label && scenario.status < 300) ?? label in contracts
  const cleanup = 'migration/parity/run/created.ts'
  return [
    !succeeds && `scenario in which it succeeds: ${findNeighbour('test/scenarios/', label)}`,
    method === 'GET' &&
      !(label in preparations) &&
      'preparation that turns a mismatch into a scenario: migration/parity/reproduce/preparations.ts',
    contract !== undefined &&
      201 in contract.responses &&
      !hasEntry(cleanup, label) &&
      !hasEntry('test/migration/parity/run/created.test.ts', label) &&
      `removal of what it creates, or why it remains: ${cleanup}`,
  ]
}

const listTestGaps = (label: Label, row: Row, contract: Contract | undefined) => {
  const { method, auth, runtime, effects } = row
  const isWrite = effects === 'write' || effects === 'external'
  const isOfAccount = auth === 'actor' || auth.startsWith('actor+')
  const isStored = isWrite && isOfAccount && method !== 'GET' && responseTransactionOf(label) !== 'none'
  const writeCases = 'test/gateway/pipeline/idempotency/write-cases.ts'
  const bodies = 'test/support/track-bodies.ts'
  const paging = 'test/native-routes/paging.test.ts'
  const secrets = 'test/gateway/observability/sharing-secrets.test.ts'
  const [area = '', ...rest] = label.split('.')
  return [
    listTestsOf(label).length === 0 &&
      `test that names ${label}: test/native-routes/${area}/${rest.join('.')}.test.ts`,
    isStored && !hasEntry(writeCases, label) && `idempotency case in prepareByLabel: ${writeCases}`,
    isWrite &&
      contract?.body !== undefined &&
      area === 'tracks' &&
      runtime === 'native' &&
      !hasEntry(bodies, label) &&
      `generated bodies: ${bodies}`,
    runtime !== 'proxy' &&
      (label.endsWith('.list') || (contract !== undefined && returnsRecords(contract))) &&
      !hasEntry(paging, label) &&
      `its lists, for the tests of paging: ${paging}`,
    /^tracks\.(?:.+\.)?share-links\./.test(label) &&
      !hasEntry(secrets, label) &&
      `request that must not reveal a token: ${secrets}`,
  ]
}

const contractFileOf = (label: string) => `contracts/${label.slice(0, label.lastIndexOf('.'))}.ts`

const isServed = ({ row, hasHandler }: CheckedRoute) => hasHandler || row.runtime !== 'proxy'

/** Whether the contract run compares a route: it does if both sides serve the route. */
export const isCompared = (route: CheckedRoute) => isServed(route) && route.row.runtime !== 'native-only'

const listRouteGaps = (route: CheckedRoute): readonly string[] => {
  const { label, row, contract, hasHandler } = route
  return [
    contract === undefined && `schemas: ${contractFileOf(label)}, and an entry in contracts/registry.ts`,
    isServed(route) &&
      !hasHandler &&
      `handler: native-routes/${label.replace('.', '/')}.ts, and an entry in native-routes/index.ts`,
    row.runtime !== 'native-only' &&
      !coreRoutes.has(keyOf(row.method, row.path)) &&
      `route of the sandbox core: ${findNeighbour('dev/sandbox/core/areas/', label)}`,
    ...listDocumentationGaps(label, contract),
    ...(isServed(route) ? listTestGaps(label, row, contract) : []),
    ...(isCompared(route) ? listComparisonGaps(label, row, contract) : []),
    ...(row.runtime === 'native-only' ? [] : listReadBackGaps(label, row)),
  ].filter((gap) => typeof gap === 'string')
}

export const describeRouteGaps = (route: CheckedRoute): string | null => {
  const gaps = listRouteGaps(route)
  return gaps.length === 0 ? null : [`${route.label} lacks`, ...gaps.map((gap) => `  ${gap}`)].join('\n')
}

const contractOf = (label: Label): Contract | undefined => contracts[label]

export const listRoutes = (only?: string): readonly CheckedRoute[] =>
  labels
    .filter((label) => only === undefined || label === only)
    .map((label) => ({
      label,
      row: rowOf(label),
      contract: contractOf(label),
      hasHandler: label in handlers,
    }))
