import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createLibrary } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { describeResult, fetchAsCore, openComparer, shadowedRequest } from './comparer-fixtures.ts'

const handlersModule = new URL('./faulty-handlers.mjs', import.meta.url)
const MiB = 1024 * 1024

describe('a comparison whose handler misbehaves', { timeout: 120_000 }, () => {
  const gateway = startTestGateway({ nativeLabels: ['libraries.detail'] })
  const settings = () => ({
    LINKS_API_KEY: 'secret of a provider',
    BILLING_SECRET_KEY: 'secret of a provider',
    EMAIL_API_KEY: 'secret of a provider',
    INTERNAL_TOKEN: 'secret of a provider',
  })
  const comparers = {
    unresponsive: openComparer(gateway, {
      handlersModule,
      settings,
      limits: { responseTimeoutMs: 5000, concurrency: 1 },
    }),
    exited: openComparer(gateway, { handlersModule, settings, limits: { concurrency: 1 } }),
    memory: openComparer(gateway, {
      handlersModule,
      settings,
      limits: { concurrency: 1, memoryBytes: 320 * MiB, memoryIntervalMs: 20 },
    }),
  }

  const createTask = async (name: string) => {
    const owner = await gateway.signUp()
    const { id } = await createLibrary(owner, name)
    const target = `/v1/libraries/${id}`
    const core = await fetchAsCore(gateway, target, owner)
    return {
      kind: 'shadow',
      label: 'libraries.detail',
      request: shadowedRequest(target, owner),
      core,
    } as const
  }

  it.each([
    ['hang', 'unresponsive'],
    ['loop', 'unresponsive'],
    ['throw later', 'exited'],
    ['reject later', 'exited'],
    ['leak', 'memory'],
    ['leak heap', 'memory'],
  ] as const)('with the fault "%s" is dropped as %s, but the next one is not', async (name, reason) => {
    const { compare, log } = comparers[reason]
    const [fault, sound] = [await createTask(name), await createTask('Demos')]
    const before = log.lines.length
    const [first, dropped, queued] = await Promise.all([compare(sound), compare(fault), compare(sound)])
    const equal = { kind: 'compared', class: 'equal', differences: [], shapes: ['body.description null'] }
    expect([first, dropped]).toEqual([equal, { kind: 'dropped', reason }])
    expect(queued.kind).not.toBe('dropped')
    // A new process's first comparison may fail because the database is too slow.
    await expect.poll(() => compare(sound), { timeout: 20_000 }).toEqual(equal)
    expect(log.lines.slice(before).map(({ message, fields }) => [message, fields.reason])).toEqual([
      ['shadow process exited', reason],
    ])
    expect(JSON.stringify(log.lines)).not.toContain('secret')
  })

  it('reports an internal error of native if the handler throws', async () => {
    const { compare } = comparers.exited
    expect(describeResult(await compare(await createTask('throw')))).toEqual(['status at status, regression'])
  })

  it.each(['write a file', 'read a file', 'start a process'])('is not permitted to %s', async (name) => {
    const { compare } = comparers.exited
    expect(describeResult(await compare(await createTask(name)))).toEqual(['status at status, regression'])
    expect(existsSync(new URL('./written', import.meta.url))).toBe(false)
  })

  it('has its settings in the environment, but no provider keys', async () => {
    const { compare } = comparers.exited
    expect(await compare(await createTask('print the environment'))).toMatchObject({ class: 'equal' })
  })

  it('is dropped after the comparer has been closed', async () => {
    const { compare } = comparers.exited
    const task = await createTask('Demos')
    const closing = compare(task)
    await comparers.exited.close()
    expect(await closing).toEqual({ kind: 'dropped', reason: 'closed' })
    expect(await compare(task)).toEqual({ kind: 'dropped', reason: 'closed' })
  })
})
