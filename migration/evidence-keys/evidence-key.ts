import type { Label } from '#contracts/route-table.ts'
import { labels, type Row, rowOf } from '#contracts/shared/row.ts'
import type { AcceptedDifference } from '../diff/accepted.ts'
import type { BuildIdentity } from '../model/evidence-keys.ts'
import { acceptedDifferences } from '../parity/accepted-differences.ts'
import { createImportGraph, digest, type ImportClosure, type ImportGraph } from './import-closure.ts'
import type { SourceTree } from './source-tree.ts'

const registry = 'native-routes/index.ts'

// These files list all routes. A route's key contains only the route's own parts of them, so that porting one route
// does not invalidate the evidence of all others. It contains nothing about the reads after a write, because they decide
// how much is compared, not what counts.
const listsOfRoutes: ReadonlySet<string> = new Set([
  registry,
  'contracts/registry.ts',
  'contracts/route-table.ts',
  'migration/parity/accepted-differences.ts',
  'migration/parity/paired-reads.ts',
])

// The code that every native response passes through, that reads and writes native's data, and that compares responses.
const commonFolders = [
  ...['app', 'edge', 'request', 'pipeline', 'adapters', 'rate-limits'].map((name) => `gateway/${name}`),
  'db/client',
  'migration/diff',
]
const commonFiles = [
  ...['scopes', 'ports', 'port-access', 'define-route', 'define-webhook'].map(
    (name) => `native-routes/${name}.ts`,
  ),
  'gateway/node/platform.ts',
  'gateway/workers/listener.ts',
  ...['comparison-child', 'read-copied-response', 'run-comparison', 'run-shadowed'].map(
    (name) => `migration/shadow/${name}.ts`,
  ),
  // What is compared, when a difference counts, and which comparisons are independent.
  ...['comparison-filter', 'conclude', 'confirmations', 'live-comparisons'].map(
    (name) => `migration/live/${name}.ts`,
  ),
]

// The common code imports these, but they do not influence native responses: observation, pages, the API description,
// forwarding to the core, and the keys themselves.
const withoutInfluence = [
  'contracts/docs',
  'gateway/observability',
  'gateway/openapi',
  'gateway/pages',
  'migration/evidence-keys',
  'proxy/fetch',
  'proxy/node-streams',
  'proxy/undici',
  'shared/tracing',
]

const migrationsFolder = 'db/migrations'
const entryPoints = ['bin/server.ts', 'bin/worker.ts']

export const handlerFileOf = (label: Label) => `native-routes/${label.replace('.', '/')}.ts`

// Leaves out the runtime, because changing it moves the route but does not change what either side returns.
const describeRow = (row: Row) => JSON.stringify({ ...row, runtime: undefined })

const describeAccepted = (label: Label, accepted: readonly AcceptedDifference[]) =>
  JSON.stringify(accepted.filter((entry) => entry.label === label || entry.label === '*'))

const listHandled = (graph: ImportGraph) => {
  const registered = new Set(graph.importsOf(registry))
  return labels.filter((label) => registered.has(handlerFileOf(label)))
}

interface Declarations {
  readonly rowOf: (label: Label) => Row
  readonly accepted: readonly AcceptedDifference[]
}

/** Returns the code that decides how native serves one route, without the code that all routes share. */
export const closureOfRoute = (graph: ImportGraph, label: Label): ImportClosure =>
  graph.closureOf([handlerFileOf(label)], listsOfRoutes)

const describeMigrations = (tree: SourceTree) =>
  [...tree.listFiles(migrationsFolder, '.sql')].sort().map((path) => `${path} ${digest(tree.readText(path))}`)

/** Identifies the code of a source tree. Equal sources give equal keys on every machine. */
export const identifyBuild = (
  tree: SourceTree,
  declared: Declarations = { rowOf, accepted: acceptedDifferences },
): BuildIdentity => {
  const graph = createImportGraph(tree)
  const listAll = (folders: readonly string[]) => folders.flatMap((folder) => tree.listFiles(folder))
  const excluded = new Set([...listsOfRoutes, ...listAll(withoutInfluence)])
  const common = graph.closureOf([...listAll(commonFolders), ...commonFiles], excluded)
  const commonHash = digest([graph.hashClosure(common), ...describeMigrations(tree)].join('\n'))
  const keyOf = (label: Label) =>
    digest(
      [
        `common ${commonHash}`,
        `route ${graph.hashClosure(closureOfRoute(graph, label))}`,
        `row ${describeRow(declared.rowOf(label))}`,
        `accepted ${describeAccepted(label, declared.accepted)}`,
      ].join('\n'),
    )
  const keys = new Map(listHandled(graph).map((label) => [label, keyOf(label)]))
  const code = graph.hashClosure(graph.closureOf(entryPoints))
  return { id: digest([code, ...keys.values()].join('\n')).slice(0, 12), keys }
}
