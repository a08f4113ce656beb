import { describe, expect, it } from 'vitest'
import { createViaPseudonym, isForwardingLoop } from '#proxy/headers/via.ts'

describe('the Via pseudonym of a deployment', () => {
  it('is the same for all instances of a deployment, and differs between deployments', () => {
    const ours = createViaPseudonym('one secret')
    expect(ours).toMatch(/^crossfade-[0-9a-f]{16}$/)
    expect(createViaPseudonym('one secret')).toBe(ours)
    expect(createViaPseudonym('another secret')).not.toBe(ours)
  })

  it('is found in every Via header', () => {
    expect(isForwardingLoop(['Via', '1.1 a', 'via', '1.1 b, 1.1 crossfade-1'], 'crossfade-1')).toBe(true)
    expect(isForwardingLoop(['Via', '1.1 a, 1.1 crossfade-2', 'X-Via', 'crossfade-1'], 'crossfade-1')).toBe(
      false,
    )
  })
})
