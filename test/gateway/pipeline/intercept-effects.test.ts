import { describe, expect, it } from 'vitest'
import { createEffectTracker } from '#gateway/pipeline/effect-tracker.ts'
import { type Access, portAccess } from '#native-routes/port-access.ts'
import type { Ports } from '#native-routes/ports.ts'

interface TestEffectTable {
  readonly [name: string]: Access | TestEffectTable
}
type Port = { readonly [name: string]: unknown }

const listMethods = (table: TestEffectTable, path: readonly string[] = []): [string, Access][] =>
  Object.entries(table).flatMap(([name, access]) =>
    typeof access === 'string'
      ? [[[...path, name].join('.'), access] as [string, Access]]
      : listMethods(access, [...path, name]),
  )

const methods = listMethods(portAccess)
const methodsThat = (access: Access) => methods.filter(([, declared]) => declared === access)

/** Ports with a fake of every declared method; `connect` is the only one that returns a port. */
const createFakes = (table: TestEffectTable, call: (path: string) => Promise<string>, path = ''): Port =>
  Object.fromEntries(
    Object.entries(table).map(([name, access]) => {
      const member = path === '' ? name : `${path}.${name}`
      if (typeof access === 'string') return [name, () => call(member)]
      const part = createFakes(access, call, member)
      return [name, name === 'connect' ? () => part : part]
    }),
  )

const callMethod = (ports: Ports, path: string): Promise<unknown> => {
  const names = path.split('.')
  const method = names.reduce<unknown>((port, name) => {
    const member = (port as Port)[name]
    return name === 'connect' ? (member as () => unknown)() : member
  }, ports)
  return (method as () => Promise<unknown>)()
}

describe('the ports of a request', () => {
  const open = () => {
    const tracker = createEffectTracker()
    const calls: string[] = []
    const outcome = { next: Promise.resolve('result') }
    const fakes = createFakes(portAccess, (path) => {
      calls.push(path)
      return outcome.next
    })
    const db = { read: {}, tx: () => Promise.reject(new Error('no database')) }
    return { tracker, calls, outcome, ports: tracker.track({ ...fakes, db } as unknown as Ports) }
  }

  it('declare the calls that change something at a provider or in the store as effects', () => {
    expect(methodsThat('effect').map(([path]) => path)).toEqual([
      'storage.copy',
      'storage.remove',
      'billing.connect.createCustomer',
      'billing.connect.openCheckout',
      'billing.connect.expireEarlierCheckouts',
      'billing.connect.openPortal',
      'billing.connect.changePlan',
      'billing.connect.cancelAtPeriodEnd',
      'billing.connect.resume',
      'billing.connect.cancelNow',
      'links.tracking.create',
      'links.tracking.reset',
      'model.complete',
    ])
  })

  it.each(methodsThat('effect'))('track %s while it runs and after it', async (path) => {
    const { tracker, outcome, ports } = open()
    const pending = Promise.withResolvers<string>()
    outcome.next = pending.promise
    const call = callMethod(ports, path)
    expect(tracker.state()).toBe('maybe')
    pending.resolve('result')
    expect(await call).toBe('result')
    expect(tracker.state()).toBe('done')
  })

  it.each(methodsThat('effect'))('leave the outcome of a failed %s unknown', async (path) => {
    const { tracker, outcome, ports } = open()
    outcome.next = Promise.reject(new Error('connection lost'))
    await expect(callMethod(ports, path)).rejects.toThrow('connection lost')
    expect(tracker.state()).toBe('maybe')
  })

  it.each(methodsThat('effect'))('reject %s once the request is abandoned', async (path) => {
    const { tracker, calls, ports } = open()
    tracker.abandon()
    await expect(callMethod(ports, path)).rejects.toMatchObject({ name: 'RequestAbandoned' })
    expect(calls).toEqual([])
  })

  it.each(methodsThat('read'))('count %s as no effect', async (path) => {
    const { tracker, calls, ports } = open()
    expect(await callMethod(ports, path)).toBe('result')
    tracker.abandon()
    expect(await callMethod(ports, path)).toBe('result')
    expect(calls).toEqual([path, path])
    expect(tracker.state()).toBe('clean')
  })

  it('stay without a provider that is not configured', () => {
    const { ports } = open()
    const { tracker } = open()
    const without = tracker.track({
      ...ports,
      billing: { ...ports.billing, connect: () => null },
      links: { tracking: null },
    })
    expect(without.billing.connect()).toBeNull()
    expect(without.links.tracking).toBeNull()
  })
})
