import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { sharedWithMe } from '#contracts/libraries.ts'
import { endDrills } from '#migration/control/gate/gate-evaluator.ts'
import { readOwnBuild } from '#migration/evidence-keys/own-build.ts'
import { selectEvidenceKeys } from '#migration/model/evidence-keys.ts'
import { defineRoute } from '#native-routes/define-route.ts'
import { handlers } from '#native-routes/index.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { operatorTokens, testOperators } from '#test/support/operators.ts'

const hourMs = 60 * 60_000
const dayMs = 24 * hourMs
const label = 'libraries.list'
const failing = 'libraries.shared-with-me'

describe('a gateway that retires routes', () => {
  let clockMs = 0
  const gateway = startTestGateway({
    core: 'recording',
    environment: { OPERATORS: testOperators },
    now: () => Date.now() + clockMs,
    handlers: {
      ...handlers,
      [failing]: defineRoute(sharedWithMe, async () => {
        throw new TypeError('fault')
      }),
    },
  })

  const change = (route: string, body: object) =>
    gateway.requestAdmin('POST', `/api/routes/${route}/changes`, {
      token: operatorTokens.alice,
      body: { change: body, reason: 'a test' },
    })
  const retire = async () => {
    const { status, body } = await change(label, { kind: 'retire' })
    return status === 200 ? 'retired' : String(body.message)
  }
  const findState = async (route: string) => {
    const [row] = await gateway.database.sql`select state, killed from route_state where scope = ${route}`
    return row
  }
  const waitForEndOfDrill = (route: string) =>
    expect.poll(() => findState(route), { timeout: 14_000 }).toEqual({ state: 'native', killed: false })
  /** Ends drills whose time is up, as the gateway itself does every five seconds. */
  const endDrillsNow = async (route: string) => {
    const now = () => Date.now() + clockMs
    const evidenceKeys = selectEvidenceKeys(readOwnBuild(), handlers, new Set())
    await endDrills({ db: gateway.database.db, evidenceKeys, log: gateway.log, now })
    expect(await findState(route)).toEqual({ state: 'native', killed: false })
  }
  const send = async (path: string) => {
    const { get } = await gateway.signUp()
    const { status, headers } = await get(path)
    return {
      status,
      runtime: headers.get('x-service-core-runtime'),
      fallback: headers.get('x-service-proxy-fallback'),
    }
  }
  const served = { status: 200, runtime: 'native', fallback: '0' }

  it("rejects a retirement without a drill, and for 14 days after a client's last request to the core", async () => {
    const { sql } = gateway.database
    await sql`insert into core_usage_start default values on conflict do nothing`
    for (let day = 0; day < 14; day += 1) {
      clockMs = day * dayMs + 1000
      expect(await retire()).toMatch(
        /^libraries\.list cannot be retired yet\. Core usage .* No drill of 60 minutes or more .*\.$/,
      )
    }
    clockMs = 14 * dayMs + 60_000
    expect(await retire()).toBe(
      'libraries.list cannot be retired yet. No drill of 60 minutes or more was completed in the last 14 days.',
    )
    // A client's request fell back on day 5. The requests on day 13 were only comparisons, which do not count.
    for (const [cause, day] of [
      ['fallback', 5],
      ['shadow', 13],
    ] as const)
      await sql`insert into core_usage (label, cause, day, instance_id, requests, last_at)
        values (${label}, ${cause}, current_date + ${day}::int, 'i-1', 3, statement_timestamp() + ${`${day} days`}::interval)`
    expect(await retire()).toMatch(
      /yet\. The core has served 3 client requests in the last 15 days, most recently at .* No drill/,
    )
    clockMs = 19 * dayMs + 60_000
    expect(await retire()).toMatch(/yet\. No drill/)
  })

  it('rejects a drill and a retirement while retries with an idempotency key go to the core, even if a key is stored concurrently', async () => {
    const { sql } = gateway.database
    const insert = (tx: Pick<typeof sql, 'unsafe'>) =>
      tx.unsafe(
        `insert into idempotency_keys (key_hash, request_hash, forwarded_route, expires_at)
        values ('key', 'request', $1, $2)`,
        [label, new Date(Date.now() + clockMs + hourMs)],
      )
    const startDrill = async () =>
      String((await change(label, { kind: 'retire', drillMinutes: 60 })).body.message)
    let isRejected = false
    const rejected = await sql.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock_shared(hashtextextended(${`forwarded keys of ${label}`}, 0))`
      const starting = startDrill().finally(() => {
        isRejected = true
      })
      await sleep(300)
      expect(isRejected).toBe(false)
      await insert(tx)
      return { starting }
    })
    expect(await rejected.starting).toMatch(/start a drill yet\. Retries with 1 idempotency key still go/)
    expect(await retire()).toMatch(/yet\. Retries with 1 idempotency key still go .* No drill/)
    clockMs += hourMs
    expect(await retire()).toMatch(/yet\. No drill/)
    await sql`delete from idempotency_keys`
  })

  it('ends a drill when its time is up, and does not count a drill of less than an hour', async () => {
    expect((await change(label, { kind: 'retire', drillMinutes: 30 })).status).toBe(200)
    clockMs += hourMs / 2 + 1000
    await waitForEndOfDrill(label)
    const [drill] = await gateway.database.sql`
      select who, reason from route_audit where scope = ${label} and action = 'end-drill'`
    expect(drill).toEqual({ who: 'auto', reason: expect.stringContaining('the drill has ended') })
    clockMs += 60_000
    expect(await retire()).toContain('was shorter than 60 minutes')
  }, 20_000)

  it('does not fall back during a drill, but falls back again once the drill is over', async () => {
    const fellBack = { status: 200, runtime: 'proxy', fallback: '1' }
    expect(await send('/v1/libraries/shared-with-me')).toEqual(fellBack)
    expect((await change(failing, { kind: 'retire', drillMinutes: 60 })).status).toBe(200)
    const received = gateway.core.requests.length
    expect(await send('/v1/libraries/shared-with-me')).toEqual({ ...served, status: 500 })
    expect(gateway.core.requests).toHaveLength(received)
    clockMs += hourMs + 1000
    await endDrillsNow(failing)
    await expect
      .poll(() => send('/v1/libraries/shared-with-me'), { timeout: 5000, interval: 250 })
      .toEqual(fellBack)
  }, 20_000)

  it('does not count a drill that had failures or took place before the route last moved', async () => {
    const { sql } = gateway.database
    const reject = async () => String((await change(failing, { kind: 'retire' })).body.message)
    clockMs += 60_000
    const [drill] = await sql`select at from route_audit where scope = ${failing} and action = 'retire'`
    await sql`insert into route_counts (label, interval_start, instance_id,
      native2xx, native3xx, native4xx, native5xx, core2xx, core3xx, core4xx, core5xx)
      values (${failing}, ${drill?.at}::timestamptz, 'i-1', 40, 0, 0, 2, 0, 0, 0, 0)`
    expect(await reject()).toContain('had failures: native served 42 requests, 2 with a 5xx status')
    expect((await change('libraries.*', { kind: 'kill' })).status).toBe(200)
    expect(await reject()).toBe('libraries.* is killed: resume it first.')
    expect((await change('libraries.*', { kind: 'resume' })).status).toBe(200)
    expect(await reject()).toMatch(/Native has served all accounts .* No drill/)
    clockMs += 14 * dayMs
  })

  it('retires a route after a drill, never sends its requests to the core, and can return it to native immediately', async () => {
    expect((await change(label, { kind: 'retire', drillMinutes: 60 })).status).toBe(200)
    clockMs += hourMs
    await endDrillsNow(label)
    expect(await retire()).toContain('has just ended')
    clockMs += 60_000
    const { body } = await change(label, { kind: 'retire' })
    expect(body).toMatchObject({
      state: { stage: 'retired', drillUntil: null },
      warnings: [expect.stringContaining('bypass the gateway')],
    })
    const received = gateway.core.requests.length
    expect(await send('/v1/libraries')).toEqual(served)
    expect(gateway.core.requests).toHaveLength(received)
    expect((await change(label, { kind: 'ramp', weightBp: 10_000 })).body).toMatchObject({
      state: { stage: 'native' },
    })
    // A route that comes back from `retired` does not have to start over.
    expect(await retire()).toBe('retired')
  }, 20_000)

  it('lets the core serve a retired route that is killed, and does not retire it again when it is resumed', async () => {
    expect((await change(label, { kind: 'kill' })).status).toBe(200)
    expect(await send('/v1/libraries')).toEqual({ ...served, runtime: 'proxy' })
    expect((await change(label, { kind: 'resume' })).body).toMatchObject({ state: { stage: 'native' } })
    expect(await send('/v1/libraries')).toEqual(served)
    // Once resumed, the route has to meet the conditions for retirement again.
    expect(await retire()).toMatch(/yet\. Native has served all accounts for .* No drill/)
  })
})
