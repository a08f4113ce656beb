import { describe, expect, it } from 'vitest'
import { type NativeRoute, NotPortedError } from '#native-routes/define-route.ts'
import { handlers } from '#native-routes/index.ts'
import type { Ports } from '#native-routes/ports.ts'
import { countCases } from '#test/support/count-cases.ts'
import type { RelayFault } from '#test/support/database-relay.ts'
import { startTestGateway, type TestAccount } from '#test/support/gateway.ts'

const wantedFaults = countCases(10_000)
const concurrency = 24

// Seeded, so that a failed run can be repeated: FAULT_SEED=... npx vitest run test/gateway/pipeline/faults-...
const seed = Number(process.env.FAULT_SEED ?? Date.now() % 1_000_000)
let randomState = seed
const random = () => {
  randomState = (Math.imul(randomState, 1_664_525) + 1_013_904_223) >>> 0
  return randomState / 2 ** 32
}

let faults = 0
const injectFault = <T>(happens: boolean, cause: () => T): T | undefined => {
  if (!happens) return undefined
  faults += 1
  return cause()
}
const throwError = () => {
  throw random() < 0.5 ? new NotPortedError() : new TypeError('fault')
}

const realCreate = handlers['libraries.create']

// The real handler, which throws at random before, inside and after its transaction.
const unreliableCreate: NativeRoute<'libraries.create'> = {
  ...realCreate,
  async handle(input, ports) {
    injectFault(random() < 0.25, throwError)
    const tx: Ports['db']['tx'] = (work) =>
      ports.db.tx(async (inside) => {
        injectFault(random() < 0.15, throwError)
        const result = await work(inside)
        injectFault(random() < 0.25, throwError)
        return result
      })
    const result = await realCreate.handle(input, { ...ports, db: { ...ports.db, tx } })
    injectFault(random() < 0.3, throwError)
    return result
  },
}

// Cuts or stalls the connection at random statements of a transaction.
const unreliableWire = (): RelayFault => {
  const dice = random()
  if (dice < 0.01) return injectFault(true, () => 'cut-before' as const) ?? null
  if (dice < 0.02) return injectFault(true, () => 'cut-after' as const) ?? null
  if (dice < 0.0205) return injectFault(true, () => 'stall' as const) ?? null
  return null
}

describe('a write with thousands of injected faults', () => {
  const gateway = startTestGateway({
    core: 'recording',
    handlers: { ...handlers, 'libraries.create': unreliableCreate },
    nativeTimeoutMs: 250,
    throughRelay: true,
    routeBreaker: { isOpen: () => false, record: () => undefined, listOpen: () => [] },
  })

  const writeUntilEnoughFaults = async (account: TestAccount, served: Map<string, string>) => {
    while (faults < wantedFaults) {
      const name = crypto.randomUUID()
      const response = await account.post('/v1/libraries', { name })
      const runtime = response.headers.get('x-service-core-runtime')
      served.set(name, response.status < 300 ? `${runtime}` : `rejected ${response.status}`)
    }
  }

  const countByName = async () => {
    const rows = await gateway.database.sql<{ name: string }[]>`select name from libraries`
    const native = new Set(rows.map(({ name }) => name))
    const core = new Map<string, number>()
    for (const { body } of gateway.core.requests) {
      const { name } = JSON.parse((await body).toString())
      core.set(name, (core.get(name) ?? 0) + 1)
    }
    return { native, core }
  }

  it(`is applied by native or by the core, never by both (FAULT_SEED=${seed})`, {
    timeout: 360_000,
  }, async () => {
    const served = new Map<string, string>()
    // A transaction that stalls keeps its account locked for a while, so that one account would be locked most of the time.
    const accounts = await Promise.all(Array.from({ length: concurrency }, () => gateway.signUp()))
    gateway.relay.onStatement = unreliableWire
    await Promise.all(accounts.map((account) => writeUntilEnoughFaults(account, served)))
    gateway.relay.onStatement = () => null

    const { native, core } = await countByName()
    const twice = [...served.keys()].filter((name) => (native.has(name) ? 1 : 0) + (core.get(name) ?? 0) > 1)
    expect(
      twice.map((name) => `${served.get(name)} native ${native.has(name)} core ${core.get(name)}`),
    ).toEqual([])
    const lost = [...served].filter(
      ([name, by]) => (by === 'native' && !native.has(name)) || (by === 'proxy' && core.get(name) !== 1),
    )
    expect(lost).toEqual([])
    // The run is meaningful only if every outcome occurred.
    const outcomes = new Set(served.values())
    expect([...outcomes].sort()).toEqual(
      expect.arrayContaining(['native', 'proxy', 'rejected 500', 'rejected 503']),
    )
    expect(faults).toBeGreaterThanOrEqual(wantedFaults)
  })
})
