import { createBodyBudget } from '#gateway/edge/body-budget.ts'
import { createTokenFinder } from '#gateway/pipeline/authenticate.ts'
import { createTokenVerifier } from '#gateway/pipeline/verify-token.ts'
import { RequestContext } from '#gateway/request/context.ts'
import { createDecisions } from '#gateway/request/decide.ts'
import type { RoutingView } from '#migration/model/routing-view.ts'
import { buildTestView } from '#test/support/routing.ts'
import type { Bench } from './open-bench.ts'
import { median } from './statistics.ts'
import { table } from './tables.ts'

export const decidedAccounts = 1000
const requests = 100_000
const repetitions = 15

const split = [{ scope: 'libraries.list', stage: 'canary', weightBp: 5000 }] as const
const views: Readonly<Record<string, RoutingView | null>> = {
  'creating the context of a request': null,
  'and deciding: steady': buildTestView(),
  'and deciding: split': buildTestView({ staticStates: split }),
}

const bodyBudget = createBodyBudget(0)

const createRequest = (authorization: Buffer) =>
  new RequestContext({
    method: 'GET',
    path: '/v1/libraries',
    hasRewrittenPath: false,
    search: '',
    // Returns a new string for each request, like one that arrives from a client.
    header: (name) => (name === 'authorization' ? authorization.toString('latin1') : undefined),
    clientAddress: () => '127.0.0.1',
    bodyBudget,
    read: async () => new Uint8Array(),
  })

type FindToken = ReturnType<typeof createTokenFinder>

const createDecision = (view: RoutingView, findToken: FindToken) =>
  createDecisions(
    { current: () => view, refreshed: () => undefined, mayTryNative: () => true },
    { hasCore: true, findToken },
  ).decide

const measureUs = (view: RoutingView | null, headers: readonly Buffer[], findToken: FindToken) => {
  const decide = view && createDecision(view, findToken)
  const startedAt = process.cpuUsage()
  for (let sent = 0; sent < requests; sent += 1) {
    const request = createRequest(headers[sent % headers.length] ?? Buffer.alloc(0))
    decide?.('libraries.list', request)
  }
  const { user, system } = process.cpuUsage(startedAt)
  return (user + system) / requests
}

/** Measures what it costs to decide about a request with a known token. Resolves to a table. */
export const measureDecisions = async ({ issuer }: Pick<Bench, 'issuer'>): Promise<string> => {
  const tokens = createTokenVerifier({ ...issuer, clockToleranceS: 0 })
  const headers: Buffer[] = []
  for (let account = 0; account < decidedAccounts; account += 1) {
    const token = await issuer.mintToken(`acct_${account}`)
    await tokens.verify(token)
    headers.push(Buffer.from(`Bearer ${token}`))
  }
  const findToken = createTokenFinder({ tokens })
  const samples = new Map(Object.keys(views).map((name) => [name, [] as number[]]))
  for (let repetition = 0; repetition < repetitions; repetition += 1)
    for (const [name, view] of Object.entries(views))
      samples.get(name)?.push(measureUs(view, headers, findToken))
  const rows = [...samples].map(([name, times]) => [
    name,
    median(times).toFixed(2),
    `${Math.min(...times).toFixed(2)} to ${Math.max(...times).toFixed(2)}`,
  ])
  return table(['CPU time', 'µs, median', 'spread'], rows)
}
