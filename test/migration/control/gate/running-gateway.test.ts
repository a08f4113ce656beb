import { describe, expect, it, vi } from 'vitest'
import { startTestGateway } from '#test/support/gateway.ts'
import { operatorTokens, testOperators } from '#test/support/operators.ts'

describe('a gateway', () => {
  const gateway = startTestGateway({
    core: 'recording',
    environment: { OPERATORS: testOperators, GATEWAY_KILL: 'packs.list' },
  })
  const setMode = (label: string, mode: string) =>
    gateway.requestAdmin('POST', `/api/routes/${label}/changes`, {
      token: operatorTokens.alice,
      body: { change: { kind: 'mode', mode }, reason: 'a test' },
    })

  it('moves routes in mode auto to shadow, unless its settings fix their state', async () => {
    await setMode('packs.list', 'auto')
    await setMode('tracks.detail', 'recommend')
    await setMode('tracks.create', 'auto')
    await setMode('tracks.list', 'auto')
    const promoted = () => gateway.log.lines.filter(({ message }) => message === 'route promoted')
    await vi.waitFor(() => expect(promoted()).toHaveLength(1), 8000)
    expect(promoted()).toMatchObject([{ fields: { route: 'tracks.list', step: 'shadow', stateVersion: 2 } }])
    const states = await gateway.database.sql`select scope, state from route_state where state <> 'proxy'`
    // No step is recommended for `tracks.create`, because no contract run of it is known.
    const recommended = gateway.log.lines.filter(({ message }) => message === 'route step recommended')
    expect(recommended.map(({ fields }) => fields.route)).toEqual(['tracks.detail'])
    expect([...states]).toEqual([{ scope: 'tracks.list', state: 'shadow' }])
  })
})
