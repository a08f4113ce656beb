import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { applyChange } from '#migration/model/apply-change.ts'
import { evaluateGate } from '#migration/model/gate/evaluate-gate.ts'
import { defaultGateLimits, type GateInput } from '#migration/model/gate/gate-input.ts'
import { isShadowable } from '#migration/model/route-scope.ts'
import { initialStateOf } from '#migration/model/route-state.ts'
import { gateInputs } from './arbitrary-gate-inputs.ts'

const checkAll = (check: (input: GateInput) => void) =>
  fc.assert(
    fc.property(gateInputs, (input) => {
      check(input)
    }),
    // A promotion is the rarest result: only about 3 % of the inputs lead to one.
    { numRuns: 2000 },
  )

const stateOf = ({ label, states }: GateInput) => states.get(label) ?? initialStateOf(label)

const findNextWeight = (weightBp: number) => defaultGateLimits.weightsBp.find((weight) => weight > weightBp)

describe('the gate, for any evidence about any two-sided route', () => {
  it('permits a step only if every check is met, and names the first that is not', () => {
    const actions = new Map<string, number>()
    checkAll((input) => {
      const { checks, next } = evaluateGate(input)
      actions.set(next.action, (actions.get(next.action) ?? 0) + 1)
      const blocking = checks.filter(({ isMet }) => !isMet)
      if (next.action === 'complete') return expect(checks).toEqual([])
      expect(next.action === 'blocked').toBe(blocking.length > 0)
      expect(next.blockedBy).toBe(blocking[0]?.id ?? null)
    })
    // Each action has to occur often enough for the properties to mean something.
    for (const action of ['blocked', 'observe', 'recommend', 'promote', 'complete'])
      expect(actions.get(action)).toBeGreaterThan(10)
  })

  it('never skips a step, and permits only changes that the state allows', () => {
    checkAll((input) => {
      const { next } = evaluateGate(input)
      const state = stateOf(input)
      if (next.change === null) return expect(['native', 'retired']).toContain(state.stage)
      if (next.change.kind === 'shadow') expect(state.stage).toBe('proxy')
      else expect(next.change.weightBp).toBe(findNextWeight(state.weightBp))
      if (next.action === 'blocked') return
      const conditions = {
        evidenceKey: input.evidenceKey,
        instancesWithoutHandler: [],
        liveEvidenceKeys: [],
        failedCode: [],
        unknownInstances: [],
      }
      expect(applyChange(state, next.change, conditions).kind).toBe('changed')
    })
  })

  it('promotes only in mode auto, and only routes that can be compared before native serves them', () => {
    checkAll((input) => {
      const { action } = evaluateGate(input).next
      const { mode } = stateOf(input)
      if (action === 'promote') expect([mode, isShadowable(input.label)]).toEqual(['auto', true])
      if (mode === 'observe') expect(['blocked', 'observe', 'complete']).toContain(action)
    })
  })

  it('never permits a step merely because evidence is missing', () => {
    checkAll((input) => {
      if (evaluateGate(input).next.action !== 'blocked') return
      // If comparisons are not required, only failed ones block a step.
      const { weightBp, evidenceKey } = stateOf(input)
      const isServed = weightBp > 0 && evidenceKey === input.evidenceKey
      const required = isShadowable(input.label) && !isServed ? [{ comparisons: null }] : []
      for (const missing of [{ contract: null }, { step: null }, ...required])
        expect(evaluateGate({ ...input, ...missing }).next.action).toBe('blocked')
    })
  })

  it('never permits a killed, held or partly deployed route to move', () => {
    checkAll((input) => {
      const { action, change } = evaluateGate(input).next
      if (action === 'blocked' || change === null) return
      expect([...input.states.values()].some(({ killed, held }) => killed || held)).toBe(false)
      expect(input.instances.onKey).toBe(input.instances.live)
      expect(input.evidenceKey).not.toBeNull()
    })
  })

  it('writes complete sentences without missing figures, and gives only valid times', () => {
    checkAll((input) => {
      const { checks, next } = evaluateGate(input)
      for (const { sentence, expectedMs, isMet } of [...checks, { ...next, isMet: false }]) {
        expect(sentence).toMatch(/^[A-Z0-9].*\.$|^[a-z-]+\.|^\* is/)
        expect(sentence).not.toMatch(/NaN|undefined|(?<!body\.\S+ )null|Infinity|\.\.| {2}/)
        if (expectedMs !== null) expect(expectedMs).toBeGreaterThanOrEqual(0)
        if (isMet) expect(expectedMs).toBe(0)
      }
    })
  })
})
