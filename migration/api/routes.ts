import * as z from 'zod'
import type { Label } from '#contracts/route-table.ts'
import { AccountId, Str } from '#contracts/shared/primitives.ts'
import { isLabel, isTwoSided, labels, rowOf } from '#contracts/shared/row.ts'
import type { Reader } from '#db/client/connection.ts'
import { listFailedCode } from '#db/queries/routing/route-audit.ts'
import { readConditions } from '../control/plan-change.ts'
import { readRetirement, readTime } from '../control/read-retirement.ts'
import { findNarrowest } from '../model/build-routing-view.ts'
import type { EvidenceKeys } from '../model/evidence-keys.ts'
import { explainArea } from '../model/explain-area.ts'
import { explainRoute } from '../model/explain-route.ts'
import { hasFailed } from '../model/failed-code.ts'
import { describeAdoption, describeRestore } from '../model/format-state.ts'
import { describeMismatches } from '../model/gate/comparison-checks.ts'
import type { GateResult } from '../model/gate/evaluate-gate.ts'
import { describeNextStep } from '../model/gate/explain-gate.ts'
import { evaluateRetirement } from '../model/retirement.ts'
import { listRouteNotes } from '../model/route-notes.ts'
import { isShadowable, labelsIn, type RouteScope, scopesOf } from '../model/route-scope.ts'
import { findHolder, findKiller, initialStateOf, type RouteState } from '../model/route-state.ts'
import { defaultStateOf } from '../model/stored-state.ts'
import { findObstacle } from '../model/transition.ts'
import { describeInstance, readStates } from './describe-instance.ts'
import { readInstances } from './instances.ts'
import { requireRole } from './operator-middleware.ts'
import type { OperatorApiOptions, OperatorApp } from './operator-options.ts'
import { readGate } from './read-gate.ts'
import { acceptsRemembered, evidenceMaxAgeMs, rememberReads } from './remember-reads.ts'
import { ScopeParams, sendJson, validate } from './requests.ts'

const ExplainQuery = z.strictObject({
  account: AccountId.optional(),
  /** The slug or token of a share link. */
  link: Str(200).optional(),
})

// If this instance's settings fix the state, the gate has no say.
const describeGate = (
  { settings }: OperatorApiOptions,
  label: Label,
  gate: GateResult | null,
  { mode }: RouteState,
) => {
  const isFixed = settings.GATEWAY_ROUTES.some(({ scope }) => scopesOf(label).includes(scope))
  return gate === null || gate.next.action === 'complete' || isFixed ? [] : describeNextStep(gate, mode)
}

const readCode = async (db: Reader, evidenceKeys: EvidenceKeys, label: Label) => {
  const conditions = (await readConditions(db, label, evidenceKeys))(label)
  return { ...conditions, obstacle: findObstacle(label, conditions) }
}

// Retirement is the next step only for a route that native serves to everyone.
const readRetirementOf = async (
  { database, evidenceKeys, settings, now }: OperatorApiOptions,
  label: Label,
  states: ReadonlyMap<RouteScope, RouteState>,
) =>
  isTwoSided(label) &&
  (states.get(label) ?? initialStateOf(label)).stage === 'native' &&
  findKiller(label, states) === null &&
  settings.CORE_BASE_URL !== null
    ? evaluateRetirement(
        await readRetirement(database.reader, label, await readTime(database.reader, now)),
        await readCode(database.reader, evidenceKeys, label),
      )
    : null

type GateReader = (label: Label) => ReturnType<typeof readGate>

interface Subject {
  readonly account: string | null
  readonly link: string | null
}

/**
 * Explains why a route is served the way it is, or what applies to an area, in the state that this instance has
 * adopted. The result's `state` is the stored one, because a change is checked against its version.
 */
export const readExplanation = async (
  options: OperatorApiOptions,
  scope: RouteScope,
  subject: Subject,
  readGateOf: GateReader,
) => {
  const { database, routing } = options
  const { epoch, states, unreadable } = await readStates(database.reader)
  const adoption = describeAdoption(routing.current(), epoch)
  const instance = describeInstance(options, unreadable)
  const state = states.get(scope) ?? defaultStateOf(scope)
  if (!isLabel(scope))
    return {
      scope,
      state,
      routes: labelsIn(scope),
      sentences: [...adoption, ...explainArea({ ...instance, scope })],
    }
  const overrides = routing.stored()?.overrides ?? []
  const read = await readGateOf(scope)
  const gate = read?.gate ?? null
  const retirement = await readRetirementOf(options, scope, states)
  const failedCode = await listFailedCode(database.reader, [scope])
  const { sentences, ...explanation } = explainRoute(
    { ...instance, ...subject, label: scope, overrides, failedCode, now: new Date() },
    read?.comparisons ? describeMismatches(read.comparisons.evidence) : [],
  )
  return {
    scope,
    state,
    evidenceKey: options.evidenceKeys.get(scope) ?? null,
    explanation,
    gate: gate?.next ?? null,
    retirement,
    sentences: [...adoption, ...sentences, ...describeGate(options, scope, gate, state)],
  }
}

export const readRouteList = async (options: OperatorApiOptions) => {
  const { evidenceKeys, unavailable, settings, guard, routing } = options
  const { reader } = options.database
  const { epoch, states, invalid } = await readStates(reader)
  const instances = await readInstances(reader, epoch)
  const failedCode = await listFailedCode(reader, labels)
  return {
    epoch,
    isRestored: routing.stored()?.isRestored ?? false,
    warnings: [
      ...describeRestore(routing.stored()?.isRestored ?? false),
      ...describeAdoption(routing.current(), epoch),
    ],
    instances: {
      live: instances.adopted.length + instances.missing.length,
      adopted: instances.adopted.length,
      unknown: instances.unknown,
    },
    routes: labels.map((label) => {
      const { method, path, effects } = rowOf(label)
      const state = states.get(label) ?? initialStateOf(label)
      const evidenceKey = evidenceKeys.get(label)
      const route = {
        label,
        method,
        path,
        effects,
        isTwoSided: isTwoSided(label),
        isShadowable: isShadowable(label),
        hasHandler: evidenceKey !== undefined,
        missingSettings: unavailable.get(label) ?? null,
        state,
        hasFailedCode: evidenceKey !== undefined && hasFailed(state, evidenceKey, failedCode),
        killedBy: findKiller(label, states),
        killedHere: scopesOf(label).find((scope) => settings.GATEWAY_KILL.includes(scope)) ?? null,
        heldBy: findHolder(label, states),
        fixedHere: isTwoSided(label) ? (findNarrowest(settings.GATEWAY_ROUTES, label) ?? null) : null,
        isStoppedHere: guard.isStopped(label),
        isPausedHere: guard.isPaused(label),
      }
      return { ...route, notes: listRouteNotes(route) }
    }),
    scopes: [...states.values()].filter(({ stage }) => stage === null),
    invalid,
  }
}

export const mountRoutes = (app: OperatorApp, options: OperatorApiOptions): void => {
  const { routing, now = Date.now } = options
  const remember = rememberReads<Awaited<ReturnType<typeof readGate>>>(evidenceMaxAgeMs, now)
  const read: GateReader = (label) => readGate(options, label)
  const readRemembered: GateReader = (label) =>
    remember(`${label} ${routing.current().epoch}`, () => read(label))

  app.get('/api/routes', requireRole('read'), async () => sendJson(await readRouteList(options)))

  app.get(
    '/api/routes/:scope',
    requireRole('read'),
    validate('query', ExplainQuery),
    validate('param', ScopeParams),
    async ({ req }) => {
      const { account = null, link = null } = req.valid('query')
      const isRemembered = acceptsRemembered(req.header('cache-control'))
      const readGateOf = isRemembered ? readRemembered : read
      return sendJson(await readExplanation(options, req.valid('param').scope, { account, link }, readGateOf))
    },
  )
}
