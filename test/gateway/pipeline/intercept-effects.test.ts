import { describe, expect, it } from 'vitest'
import type { Label } from '#contracts/route-table.ts'
import { openRequestPorts } from '#gateway/pipeline/request-ports.ts'
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

/** Ports on which every declared method is a fake. Only `connect` returns a port. */
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

describe("a request's ports", () => {
  const visit = { client: () => '', accessCode: () => undefined }
  const authorized = { token: null, request: { actor: null, params: {}, visit } }
  const open = (label: Label = 'webhooks.billing') => {
    const calls: string[] = []
    const outcome = { next: Promise.resolve('result') }
    const fakes = createFakes(portAccess, (path) => {
      calls.push(path)
      return outcome.next
    })
    const db = { read: {}, tx: () => Promise.reject(new Error('no database')) }
    const requestPorts = openRequestPorts({ ...fakes, db } as unknown as Ports, label)
    return { requestPorts, calls, outcome, ports: requestPorts.forHandler(authorized, null) }
  }

  it('treat calls that change something at a provider or in the object store as effects', () => {
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

  it.each(methodsThat('effect'))('report %s as a possible effect, then as a certain one', async (path) => {
    const { requestPorts, outcome, ports } = open()
    const pending = Promise.withResolvers<string>()
    outcome.next = pending.promise
    const call = callMethod(ports, path)
    await expect.poll(() => requestPorts.state()).toBe('maybe')
    pending.resolve('result')
    expect(await call).toBe('result')
    expect(requestPorts.state()).toBe('done')
  })

  it.each(methodsThat('effect'))('report an effect as possible if %s fails', async (path) => {
    const { requestPorts, outcome, ports } = open()
    outcome.next = Promise.reject(new Error('connection lost'))
    await expect(callMethod(ports, path)).rejects.toThrow('connection lost')
    expect(requestPorts.state()).toBe('maybe')
  })

  it.each(methodsThat('effect'))('reject %s once the request is abandoned', async (path) => {
    const { requestPorts, calls, ports } = open()
    requestPorts.abandon()
    await expect(callMethod(ports, path)).rejects.toMatchObject({ name: 'RequestAbandoned' })
    expect(calls).toEqual([])
  })

  it.each(
    methodsThat('effect').flatMap(([path]) => [
      [path, 'libraries.list'] as const,
      [path, 'public.track-links.share-events.record'] as const,
    ]),
  )('reject %s on %s, which declares no such effect', async (path, label) => {
    const { calls, ports } = open(label)
    await expect(callMethod(ports, path)).rejects.toMatchObject({ name: 'UndeclaredEffect' })
    expect(calls).toEqual([])
  })

  it('reject an event on a route that declares no events', async () => {
    const { calls, ports } = open('libraries.list')
    await expect(callMethod(ports, 'events.record')).rejects.toMatchObject({ name: 'UndeclaredEffect' })
    expect(calls).toEqual([])
  })

  it.each(methodsThat('read'))('allow %s, which has no effect, on an abandoned request', async (path) => {
    const { requestPorts, calls, ports } = open()
    expect(await callMethod(ports, path)).toBe('result')
    requestPorts.abandon()
    expect(await callMethod(ports, path)).toBe('result')
    expect(calls).toEqual([path, path])
    expect(requestPorts.state()).toBe('clean')
  })

  it('stay null for a provider that is not configured', () => {
    const { ports } = open()
    const unconfigured = {
      ...ports,
      billing: { ...ports.billing, connect: () => null },
      links: { tracking: null },
    }
    const without = openRequestPorts(unconfigured, 'webhooks.billing').forHandler(authorized, null)
    expect(without.billing.connect()).toBeNull()
    expect(without.links.tracking).toBeNull()
  })
})
