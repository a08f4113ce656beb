import { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { createConnectionQueue } from '#gateway/process/group/connection-queue.ts'

interface Sent {
  readonly id: number
  readonly socket: Socket
  readonly onSent: () => void
}

const openQueue = (connections: number) => {
  const sent: Sent[] = []
  const unsent: Socket[] = []
  const queue = createConnectionQueue(({ id, socket }, onSent) => void sent.push({ id, socket, onSent }))
  // A reset of a socket that is not connected is an error.
  const sockets = Array.from({ length: connections }, () => new Socket().on('error', () => {}))
  for (const socket of sockets) queue.add('PORT', socket, (each) => void unsent.push(each))
  return { queue, sockets, sent, unsent }
}

describe('the connections of a process', () => {
  it('has at most eight unconfirmed in the channel and sends the others in order', () => {
    const { queue, sockets, sent } = openQueue(20)
    expect(sent).toHaveLength(8)
    for (let confirmed = 0; confirmed < 20; confirmed++) queue.confirm(sent[confirmed]?.id ?? 0)
    expect(sent.map(({ socket }) => socket)).toEqual(sockets)
  })

  it('keeps a connection open until the process confirms it', () => {
    const { queue, sockets, sent } = openQueue(2)
    for (const { onSent } of sent) onSent()
    queue.confirm(sent[0]?.id ?? 0)
    expect(sockets.map(({ destroyed }) => destroyed)).toEqual([true, false])
  })

  it('closes those that were sent but not confirmed and returns the unsent ones when the process exits', () => {
    const { queue, sockets, sent, unsent } = openQueue(12)
    for (const { onSent } of sent.slice(0, 3)) onSent()
    queue.confirm(sent[0]?.id ?? 0)
    queue.close()
    expect(unsent).toEqual(sockets.slice(3))
    expect(sockets.filter(({ destroyed }) => destroyed)).toEqual(sockets.slice(0, 3))
  })

  it('returns a connection that arrives after the exit', () => {
    const { queue, sent, unsent } = openQueue(0)
    queue.close()
    const socket = new Socket()
    queue.add('PORT', socket, (each) => void unsent.push(each))
    expect([sent.length, unsent]).toEqual([0, [socket]])
  })
})
