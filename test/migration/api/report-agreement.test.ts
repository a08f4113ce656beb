import { beforeAll, describe, expect, it } from 'vitest'
import { saveCoreUsage } from '#db/queries/routing/core-usage.ts'
import { MigrationReport } from '#migration/model/report/migration-report.ts'
import { monthOf } from '#migration/model/report/report-month.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { operatorTokens, testOperators } from '#test/support/operators.ts'
import { countStates, listMoves, listRemaining, listStops, sumRequests } from './report-figures.ts'
import { createHistory } from './simulated-history.ts'

const dayMs = 86_400_000
const monthsAgo = (count: number) => {
  const now = new Date()
  return monthOf(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - count))
}

describe("the report's figures", () => {
  const gateway = startTestGateway({ core: 'recording', environment: { OPERATORS: testOperators } })

  const get = (path: string, token: string = operatorTokens.rob) =>
    gateway.requestAdmin('GET', path, { token })
  const read = async (month: string) => {
    const { status, body } = await get(`/api/report?month=${month}`)
    expect(status).toBe(200)
    return MigrationReport.parse(body)
  }
  const change = async (scope: string, requested: object) => {
    const path = `/api/routes/${encodeURIComponent(scope)}/changes`
    const body = { change: requested, reason: `to ${JSON.stringify(requested)} | *now*` }
    const response = await gateway.requestAdmin('POST', path, { token: operatorTokens.alice, body })
    expect(response.status, JSON.stringify(response.body)).toBe(200)
  }

  beforeAll(async () => {
    await createHistory(gateway.database.sql)
    await change('packs.list', { kind: 'shadow' })
    await change('packs.list', { kind: 'ramp', weightBp: 2500 })
    await change('packs.list', { kind: 'ramp', weightBp: 10_000 })
    await change('packs.detail', { kind: 'shadow' })
    await change('packs.detail', { kind: 'hold' })
    await change('libraries.list', { kind: 'ramp', weightBp: 5000 })
    await change('billing.status', { kind: 'kill' })
    await change('libraries.*', { kind: 'kill' })
    await change('libraries.*', { kind: 'resume' })
    await change('tracks.*', { kind: 'hold' })
    await gateway.requestAdmin('PUT', '/api/overrides', {
      token: operatorTokens.alice,
      body: { accountId: 'acct_1', scope: 'packs.list', side: 'core', reason: 'a test' },
    })
    const usage = { cause: 'state', instanceId: 'a', requests: 5 }
    const dayOf = (age: number) => new Date(Date.now() - age * dayMs).toISOString().slice(0, 10)
    await saveCoreUsage(gateway.database.db, [
      ...[0, 3, 6, 7].map((age) => ({ ...usage, label: 'tracks.create', day: dayOf(age) })),
      { ...usage, label: 'tracks.create', day: dayOf(0), instanceId: 'b', requests: 70 },
      { ...usage, label: 'tracks.create', day: dayOf(0), cause: 'shadow', requests: 900 },
      { ...usage, label: 'tracks.create', day: dayOf(0), cause: 'stale', requests: 2 },
      { ...usage, label: 'packs.list', day: dayOf(1), cause: 'fallback' },
      { ...usage, label: 'unmatched', day: dayOf(2), requests: 11 },
    ])
  })

  it.each([0, 1, 2, 3, 4, 5, 12])('match the raw tables for the month %i months ago', async (ago) => {
    const { sql } = gateway.database
    const report = await read(monthsAgo(ago))
    const { reportTime: at, month, remaining, summary } = report

    const ends = report.days.map(({ day }) => (day === at.slice(0, 10) ? at : `${day}T23:59:59.999Z`))
    const shownOf = ({ states, held }: typeof summary) => ({
      states: Object.fromEntries(states.flatMap(({ state, rows }) => (rows > 0 ? [[state, rows]] : []))),
      held,
    })
    const counted = await countStates(sql, ends)
    expect(report.days.map((each, index) => ({ at: ends[index], ...shownOf(each) }))).toEqual(counted)
    expect({ at, ...shownOf(summary) }).toEqual(counted.at(-1))

    const period = { from: `${month}-01T00:00:00Z`, to: at }
    const stageOf = (formatted: string) => formatted.split(' ', 1)[0]
    expect(report.moves.map((move) => ({ ...move, from: stageOf(move.from), to: stageOf(move.to) }))).toEqual(
      await listMoves(sql, period),
    )
    expect(report.stops.map(({ from: _, to: __, ...stop }) => stop)).toEqual(await listStops(sql, period))

    const left = remaining.areas.flatMap(({ routes }) => routes)
    expect(left.map(({ label }) => label).toSorted()).toEqual(await listRemaining(sql, at))
    expect(remaining.rows).toBe(left.length)
    if (ago === 0) {
      const sums = await sumRequests(sql, at)
      const causesOf = (label: string) =>
        (sums.get(label) ?? []).map(({ cause, requests }) => ({ cause, requests }))
      const requestsOf = (label: string) => causesOf(label).reduce((sum, { requests }) => sum + requests, 0)
      expect([...sums.keys()].toSorted()).toEqual(['packs.list', 'tracks.create', 'unmatched'])
      for (const { label, requests, causes } of [...left, ...remaining.nativeWithCoreRequests])
        expect([label, requests, causes]).toEqual([label, requestsOf(label), causesOf(label)])
      for (const { requests, routes } of remaining.areas)
        expect(requests).toBe(routes.reduce((sum, { label }) => sum + requestsOf(label), 0))
      expect(remaining.nativeWithCoreRequests.map(({ label }) => label)).toEqual(['packs.list'])
      expect(remaining.unmatchedRequests).toBe(requestsOf('unmatched'))
    } else if (ago > 1) expect(remaining.unmatchedRequests).toBeNull()
  })
})
