import { describe, expect, it } from 'vitest'
import { enterPhase, type RequestPhase } from '#proxy/undici/request-phase.ts'

const follow = (...phases: RequestPhase[]) => phases.reduce(enterPhase)

describe("a forwarded request's phase", () => {
  it.each<[string, RequestPhase[]]>([
    ['a response', ['awaiting-connection', 'awaiting-head', 'receiving-head', 'streaming', 'ended']],
    [
      'one retry',
      ['awaiting-connection', 'awaiting-head', 'awaiting-connection', 'awaiting-head', 'receiving-head'],
    ],
    ['a streamed body', ['awaiting-connection', 'sending-body', 'awaiting-head', 'streaming', 'ended']],
    ['a response before the body is sent', ['awaiting-connection', 'sending-body', 'streaming', 'ended']],
    ['a client that leaves while the request waits', ['awaiting-connection', 'ended']],
  ])('accepts the transitions of %s', (_, phases) => {
    expect(follow(...phases)).toBe(phases.at(-1))
  })

  it.each<[RequestPhase, RequestPhase]>([
    ['ended', 'streaming'],
    ['ended', 'ended'],
    ['streaming', 'awaiting-connection'],
    ['receiving-head', 'awaiting-connection'],
    ['awaiting-connection', 'streaming'],
    ['sending-body', 'awaiting-connection'],
  ])('throws on the change from %s to %s', (current, next) => {
    expect(() => enterPhase(current, next)).toThrow(
      `a forwarded request cannot change from ${current} to ${next}`,
    )
  })
})
