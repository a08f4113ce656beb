import { expect, it } from 'vitest'
import type { Label } from '#contracts/route-table.ts'
import { labels, rowOf } from '#contracts/shared/row.ts'
import { describeRoutes } from '#gateway/request/describe-routes.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { buildTestView, type TestRoutingInputs } from '#test/support/routing.ts'

const isForwarded = (label: Label) => rowOf(label).runtime === 'proxy'
const forwarded = labels.filter(isForwarded).length
const native = labels.length - forwarded
const killed = ['libraries.list', 'analytics.overview', 'tracks.list'] as const

const gateway = startTestGateway({ core: 'recording', environment: { GATEWAY_KILL: killed.join() } })

const describe = ({ hasCore = true, ...inputs }: TestRoutingInputs = {}) =>
  describeRoutes(buildTestView({ hasCore, ...inputs }), hasCore)

it('the route counts say how many routes each side serves when no route is killed', () => {
  expect(describe()).toBe(`${native} native, ${forwarded} forwarded, 0 killed`)
  expect(describe({ hasCore: false })).toBe(`${native} native, ${forwarded} not implemented, 0 killed`)
})

it('a killed route counts only as killed', () => {
  for (const label of labels)
    expect(describe({ kills: [label] })).toBe(
      isForwarded(label)
        ? `${native} native, ${forwarded - 1} forwarded, 1 killed: ${label}`
        : `${native - 1} native, ${forwarded} forwarded, 1 killed: ${label}`,
    )
})

it('a canary counts as split', () => {
  const staticStates = [{ scope: 'libraries.list', stage: 'canary', weightBp: 100 }] as const
  expect(describe({ staticStates })).toBe(`${native - 1} native, 1 split, ${forwarded} forwarded, 0 killed`)
})

it('the gateway logs the route counts once when it starts, with the killed labels in table order', () => {
  const named = labels.filter((label) => killed.some((other) => other === label)).join(', ')
  expect(gateway.log.lines.filter(({ message }) => message === 'route table loaded')).toEqual([
    {
      level: 'info',
      message: 'route table loaded',
      fields: {
        build: expect.stringMatching(/^[0-9a-f]{12}$/),
        routes: `${native - 2} native, ${forwarded - 1} forwarded, 3 killed: ${named}`,
      },
    },
  ])
})
