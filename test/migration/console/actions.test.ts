import { describe, expect, it } from 'vitest'
import { verbs } from '#migration/cli/verbs.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { operatorTokens, testOperators } from '#test/support/operators.ts'
import { storeRestore } from '#test/support/routing.ts'
import { createConsoleClient } from './browse.ts'

type Fields = Readonly<Record<string, string>>

interface Change {
  readonly args: readonly string[]
  readonly path: string
  readonly fields: Fields
}

const [byCommand, byConsole] = ['tracks.list', 'packs.list']
const instances = ['instance-of-the-command', 'instance-of-the-console']

const changeOf = (kind: string, args: readonly string[] = [], fields: Fields = {}): Change => ({
  args: [byCommand, ...args],
  path: `/console/routes/${byConsole}/change`,
  fields: { kind, ...fields },
})
const overrideOf = (args: readonly string[], fields: Fields): Change => ({
  args: ['acct_1', byCommand, ...args],
  path: '/console/accounts/override',
  fields: { account: 'acct_1', scope: byConsole, ...fields },
})

const dayMs = 24 * 60 * 60_000

/** Each verb that changes something, with the equivalent console form. In this order, every change is allowed. */
const changes: readonly (readonly [verb: string, change: Change])[] = [
  ['shadow', changeOf('shadow')],
  ['ramp', changeOf('ramp', ['0.5'], { percent: '0.5' })],
  ['hold', changeOf('hold')],
  ['release', changeOf('release')],
  ['kill', changeOf('kill')],
  ['resume', changeOf('resume')],
  ['mode', changeOf('mode', ['recommend'], { mode: 'recommend' })],
  [
    'override',
    overrideOf(['native', '--until', '2100-01-31T18:00:00Z'], { side: 'native', until: '2100-01-31T18:00' }),
  ],
  ['override', overrideOf(['none'], { side: 'none' })],
  ['ramp', changeOf('ramp', ['100'], { percent: '100' })],
  ['drill', changeOf('drill', ['60'], { minutes: '60' })],
  ['retire', changeOf('retire')],
  ['accept-restore', { args: [], path: '/console/accept-restore', fields: {} }],
  ['forget', { args: [instances[0] ?? ''], path: `/console/instances/${instances[1]}/forget`, fields: {} }],
]

/** Each read-only verb, with the equivalent console page. */
const reads: Readonly<Record<string, string>> = {
  list: '/console',
  explain: '/console/routes/tracks.list?account=acct_1',
  account: '/console/accounts?account=acct_1',
  evidence: '/console/routes/tracks.list',
  audit: '/console/audit',
  usage: '/console/core-usage',
  report: '/console/report',
  // A difference's page. No difference is stored in this test, so its status is 404.
  reproduce: '/console/routes/tracks.list/mismatches/0123456789abcdef',
}

// These create a token or read and write files on the machine where the command runs.
const local = ['operator', 'export', 'plan', 'apply']

describe('the command and the console', () => {
  let clockMs = 0
  const gateway = startTestGateway({
    core: 'recording',
    environment: { OPERATORS: testOperators },
    now: () => Date.now() + clockMs,
  })
  const { get, post, signIn } = createConsoleClient(gateway)

  const runVerb = (name: string, args: readonly string[]) =>
    verbs.get(name)?.run(args, async (schema, method, path, body) => {
      const options = { token: operatorTokens.alice, ...(body === undefined ? {} : { body }) }
      const response = await gateway.requestAdmin(method, path, options)
      expect(response.status, `${name}: ${JSON.stringify(response.body)}`).toBe(200)
      return schema.parse(response.body)
    })

  const readAudit = async (scope: string) => {
    const rows = await gateway.database.sql<
      { action: string; before: unknown; after: unknown; reason: string }[]
    >`
      select action, before, after, reason from route_audit where scope = ${scope} order by epoch`
    // Masks what differs between the two routes: their labels, their code and the times of their changes.
    return JSON.stringify(rows)
      .replaceAll(scope, 'SCOPE')
      .replaceAll(/"[0-9a-f]{32}"/g, '"KEY"')
      .replaceAll(/"lastReportAgeS":\d+/g, '"lastReportAgeS":0')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
  }

  // Moves the clock to a fortnight after the start, by which time the drills have ended.
  const waitFortnight = async () => {
    const { sql } = gateway.database
    await sql`insert into core_usage_start default values on conflict do nothing`
    clockMs = 14 * dayMs + 60_000
    await expect
      .poll(() => sql`select scope from route_state where state = 'retired'`, { timeout: 12_000 })
      .toEqual([])
  }

  it('offer the same actions', () => {
    const known = new Set([...changes.map(([verb]) => verb), ...Object.keys(reads), ...local])
    expect([...verbs.keys()].filter((verb) => !known.has(verb))).toEqual([])
    expect([...known].filter((verb) => !verbs.has(verb))).toEqual([])
  })

  it.each(Object.entries(reads))('both offer %s', async (verb, path) => {
    const { status, body } = await get(path, await signIn())
    expect([verb, status]).toEqual([verb, verb === 'reproduce' ? 404 : 200])
    expect(body).toContain('<main')
  })

  it('make the same changes, with equal entries in the audit', async () => {
    for (const id of instances)
      await gateway.database.sql`insert into gateway_instance (id, build, keys, epoch, beat_at)
        values (${id}, 'x', '{}', 0, statement_timestamp() - interval '30 seconds')`
    const forget = changes.filter(([verb]) => verb === 'forget')
    const others = changes.filter(([verb]) => verb !== 'forget')
    const cookie = await signIn()
    // Forgets the ended instances first, because they block steps towards native.
    for (const [verb, { args, path, fields }] of [...forget, ...others]) {
      if (verb === 'drill') clockMs = 13 * dayMs
      if (verb === 'retire') await waitFortnight()
      if (verb === 'accept-restore') await storeRestore(gateway.database)
      await runVerb(verb, [...args, '--reason', 'a test'])
      if (verb === 'accept-restore') await storeRestore(gateway.database)
      const response = await post(path, { ...fields, reason: 'a test' }, { cookie })
      expect([verb, response.status]).toEqual([verb, 303])
    }
    expect(await readAudit(byConsole)).toBe(await readAudit(byCommand))
    expect(await readAudit(instances[1] ?? '')).toBe(await readAudit(instances[0] ?? ''))
    const [{ count } = { count: 0 }] = await gateway.database.sql<{ count: number }[]>`
      select count(*)::int as count from route_audit where who = 'alice'`
    expect(count).toBe(2 * changes.length)
  }, 45_000)
})
