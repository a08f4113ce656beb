import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { reproduce } from '#migration/cli/reproduce-verb.ts'
import { defaultGateLimits } from '#migration/model/gate/gate-input.ts'
import { startTestGateway, type TestAccount, type TestGateway } from '#test/support/gateway.ts'
import { operatorTokens, testOperators } from '#test/support/operators.ts'

const labels = ['tracks.list', 'tracks.detail', 'packs.list', 'packs.detail'] as const
type MovedLabel = (typeof labels)[number]

const compressed = {
  core: 'sandbox',
  environment: { CORE_HONOURS_SHADOW: '1', OPERATORS: testOperators },
  // A step lasts a second instead of half an hour. A request counts once every half second instead of every minute.
  gateLimits: { ...defaultGateLimits, minStepMs: 1000 },
  comparisonRates: { attemptsPerSecond: 400, minuteMs: 500 },
  comparisonWriteMs: 500,
} as const

interface Client {
  readonly account: TestAccount
  readonly paths: Readonly<Record<MovedLabel, string>>
}

const openAccounts = async (gateway: TestGateway, count: number) => {
  const clients: Client[] = []
  for (let index = 0; index < count; index += 1) {
    // These ids give the same buckets in every run. At 1 %, native serves at least one account in each area.
    const account = await gateway.signUp({ accountId: `acct_promoted_${index}` })
    const track = await account.post('/v1/tracks', { title: `Night Drive ${index}`, artist: 'The Owls' })
    const pack = await account.post('/v1/packs', { name: `Tides ${index}` })
    clients.push({
      account,
      paths: {
        'tracks.list': '/v1/tracks',
        'tracks.detail': `/v1/tracks/${track.body.id}`,
        'packs.list': '/v1/packs',
        'packs.detail': `/v1/packs/${pack.body.id}`,
      },
    })
  }
  return clients
}

const begin = async (gateway: TestGateway) => {
  const results = []
  for (const label of labels) {
    const { body } = await gateway.requestAdmin('GET', `/api/routes/${label}/evidence`, {
      token: operatorTokens.rob,
    })
    results.push({ label, evidenceKey: body.evidenceKey, problems: 0, forbiddingDifferences: 0 })
  }
  const posted = await gateway.requestAdmin('POST', '/api/contract-results', {
    token: operatorTokens.ci,
    body: { finishedAt: new Date().toISOString(), results },
  })
  expect(posted.status).toBe(200)
  for (const label of labels) {
    const changed = await gateway.requestAdmin('POST', `/api/routes/${label}/changes`, {
      token: operatorTokens.alice,
      body: { change: { kind: 'mode', mode: 'auto' }, reason: 'the gate decides' },
    })
    expect(changed.status).toBe(200)
  }
}

const readStages = async ({ sql }: TestGateway['database']) => {
  const rows = await sql<{ scope: string; state: string }[]>`select scope, state from route_state`
  return Object.fromEntries(rows.map(({ scope, state }) => [scope, state]))
}

const nativePerRound = 100

/**
 * Each account reads each route once. Accounts that native serves read more, so that small shares get enough requests.
 */
const sendRound = async (clients: readonly Client[], statuses: Set<number>) => {
  const left = new Map<MovedLabel, number>(labels.map((label) => [label, nativePerRound]))
  const readWhileNative = async ({ account, paths }: Client, label: MovedLabel) => {
    for (let repeats = 0; repeats < nativePerRound / 2; repeats += 1) {
      const { status, headers } = await account.get(paths[label])
      statuses.add(status)
      const more = (left.get(label) ?? 0) - 1
      if (headers.get('x-service-core-runtime') !== 'native' || more < 0) return
      left.set(label, more)
    }
  }
  const readAll = async (client: Client) => {
    for (const label of labels) await readWhileNative(client, label)
  }
  for (let first = 0; first < clients.length; first += 4) {
    await Promise.all(clients.slice(first, first + 4).map(readAll))
    // Leaves time for the child process, which has the lowest priority.
    await sleep(20)
  }
}

describe('routes in mode auto', { timeout: 6 * 60_000 }, () => {
  const gateway = startTestGateway(compressed)

  it('reach native through the gate alone, with traffic from 200 accounts', async () => {
    const clients = await openAccounts(gateway, 200)
    await begin(gateway)
    const statuses = new Set<number>()
    const endsAt = Date.now() + 5 * 60_000
    const areAllNative = async () => {
      const stages = await readStages(gateway.database)
      return labels.every((label) => stages[label] === 'native')
    }
    while (!(await areAllNative()) && Date.now() < endsAt) await sendRound(clients, statuses)
    const explained = await Promise.all(
      labels.map(
        async (label) =>
          (await gateway.requestAdmin('GET', `/api/routes/${label}/evidence`, { token: operatorTokens.rob }))
            .body.sentences,
      ),
    )
    expect(await readStages(gateway.database), JSON.stringify(explained)).toMatchObject(
      Object.fromEntries(labels.map((label) => [label, 'native'])),
    )
    expect([...statuses]).toEqual([200])
    const changes = await gateway.database.sql<{ scope: string; weight: string; who: string }[]>`
      select scope, after ->> 'weightBp' as weight, who from route_audit where action <> 'mode' order by id`
    for (const label of labels) {
      const weights = changes.filter(({ scope }) => scope === label).map(({ weight }) => weight)
      expect(weights).toEqual(['0', '100', '500', '2500', '5000', '10000'])
    }
    expect(new Set(changes.map(({ who }) => who))).toEqual(new Set(['auto']))
  })
})

describe('wrong routes in mode auto', { timeout: 3 * 60_000 }, () => {
  const gateway = startTestGateway({
    ...compressed,
    comparedHandlers: new URL('./wrong-handlers.ts', import.meta.url),
  })

  it('stay in shadow, and the gate says where native is wrong', async () => {
    const clients = await openAccounts(gateway, 25)
    await begin(gateway)
    const statuses = new Set<number>()
    const readEvidence = async (label: MovedLabel) =>
      (await gateway.requestAdmin('GET', `/api/routes/${label}/evidence`, { token: operatorTokens.rob })).body
    await expect
      .poll(
        async () => {
          await sendRound(clients, statuses)
          return (await readEvidence('tracks.detail')).mismatches
        },
        { timeout: 120_000 },
      )
      .toContainEqual(expect.objectContaining({ kind: 'value', path: 'body.title', class: 'regression' }))
    // Waits until the gate has judged the comparisons. By then, a step that should not happen would have happened.
    await expect
      .poll(async () => (await readEvidence('tracks.detail')).gate?.next.blockedBy, { timeout: 30_000 })
      .toBe('comparisons')
    expect((await readStages(gateway.database))['tracks.detail']).toBe('shadow')
    const { mismatches } = await readEvidence('tracks.detail')
    const { text } = await reproduce.run(
      ['tracks.detail', mismatches[0].signature],
      async (schema, _, path) =>
        schema.parse(
          await gateway.requestAdmin('GET', path, { token: operatorTokens.rob }).then(({ body }) => body),
        ),
    )
    expect(text).toContain('agrees with the core on body.title')
    expect([...statuses]).toEqual([200])
  })
})
