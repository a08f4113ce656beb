import { connect } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { ListenerName } from '#gateway/node/group/process-group.ts'
import { createDistributor } from '#gateway/process/group/distribute-connections.ts'
import { createFakeProcess } from './fake-process.ts'

const startDistributor = async (name: ListenerName) => {
  const distributor = createDistributor(name, {
    host: '127.0.0.1',
    port: 0,
    settings: { host: 'HOST', port: 'PORT' },
  })
  const older = createFakeProcess(1)
  const newer = createFakeProcess(2)
  const port = await distributor.include(older.process)
  await distributor.include(newer.process)
  let opened = 0
  const countPassed = () => [older.sockets.length, newer.sockets.length]
  onTestFinished(() => {
    distributor.close()
    for (const socket of [...older.sockets, ...newer.sockets]) socket.destroy()
  })
  /** Resolves to how many connections each process was sent. */
  const open = async (connections: number) => {
    opened += connections
    for (let count = 0; count < connections; count++) {
      const client = connect(port, '127.0.0.1').on('error', () => {})
      onTestFinished(() => void client.destroy())
    }
    await expect.poll(() => older.sockets.length + newer.sockets.length).toBe(opened)
    return countPassed()
  }
  return { distributor, older, newer, open }
}

describe('the connections of a listener', () => {
  it('are divided equally', async () => {
    const { open } = await startDistributor('PORT')
    expect(await open(6)).toEqual([3, 3])
  })

  it('go to the oldest process if the listener is that of the admin pages', async () => {
    const { open } = await startDistributor('ADMIN_PORT')
    expect(await open(2)).toEqual([2, 0])
  })

  it('go to the next process while the oldest one leaves two pings of the admin listener unanswered', async () => {
    const { older, newer, open } = await startDistributor('ADMIN_PORT')
    older.process.ping()
    expect(await open(1)).toEqual([1, 0])
    older.process.ping()
    expect(await open(1)).toEqual([1, 1])
    // If no process responds, the oldest one is as good as any.
    newer.process.ping()
    newer.process.ping()
    expect(await open(1)).toEqual([2, 1])
  })

  it('do not go to a process that drains, unless no other one serves', async () => {
    const { distributor, older, newer, open } = await startDistributor('PORT')
    distributor.excludeUnlessLast(older.process)
    expect(await open(2)).toEqual([0, 2])
    distributor.excludeUnlessLast(newer.process)
    expect(await open(1)).toEqual([0, 3])
  })
})
