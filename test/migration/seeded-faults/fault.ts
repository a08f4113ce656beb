import type { Label } from '#contracts/route-table.ts'
import type { Side } from '#migration/contract-run/side.ts'
import type { DifferenceClass, DifferenceKind } from '#migration/diff/verdict.ts'
import type { PassingAnswer, PassingRequest, Tampering } from '../contract-run/two-sides.ts'

/** One mistake on one side, and what a run must say of it, and nothing beside it. */
export interface Fault {
  readonly what: string
  readonly on: Side['name']
  /** The scenario that meets it. */
  readonly scenario: readonly [label: Label, title: string]
  readonly tampering: Tampering
  readonly found: string
}

type Finding = `${DifferenceKind} at ${string}, ${DifferenceClass}`

interface Place {
  readonly on: Side['name']
  /** The route that has the faults. */
  readonly label: Label
  /** The status of the answers that have them; all of the route where it is absent. */
  readonly status?: number
  /** The title of the scenario that meets them. */
  readonly scenario: string
  /** The route of that scenario, where it is another: one after which this one is read. */
  readonly of?: Label
  /** Who gets the blame, where it is not the side that has the faults. */
  readonly blame?: Side['name']
}

/** Mistakes at one place, each with what a run must find. */
export const faultsIn = (
  { on, label, status, scenario, of = label, blame = on }: Place,
  faults: readonly (readonly [what: string, tampering: Tampering, found: Finding])[],
): Fault[] =>
  faults.map(([what, { request, answer }, found]) => ({
    what: `${what} in ${label}`,
    on,
    scenario: [of, scenario],
    tampering: {
      request: (passing) => (passing.label === label ? (request?.(passing) ?? passing) : passing),
      answer: (passing, asked) =>
        asked.label === label && (status === undefined || passing.status === status)
          ? (answer?.(passing, asked) ?? passing)
          : passing,
    },
    found: `${label}: ${found}, blame ${blame}`,
  }))

export type Json = Readonly<Record<string, unknown>>

const parse = (text: string): Json => JSON.parse(text)

const mapped =
  (change: (json: Json) => unknown) =>
  <T extends PassingAnswer | PassingRequest>(passing: T): T => ({
    ...passing,
    text: JSON.stringify(change(parse(passing.text))),
  })

const answer = (change: Partial<PassingAnswer>): Tampering => ({
  answer: (passing) => ({ ...passing, ...change }),
})

/** Another body. */
export const body = (change: (json: Json) => unknown): Tampering => ({ answer: mapped(change) })

export const fields = (changed: Json) => body((json) => ({ ...json, ...changed }))

export const lacking = (name: string) => body(({ [name]: _, ...rest }) => rest)

/** The same with what lies within one field. */
export const within = <T>(name: string, change: (value: T) => unknown) =>
  // Whoever names the field knows what is in it.
  body((json) => ({ ...json, [name]: change(json[name] as T) }))

/** Something else performed than what was asked for. */
export const asked = (changed: Json): Tampering => ({ request: mapped((json) => ({ ...json, ...changed })) })

export const both = (first: Tampering, second: Tampering): Tampering => ({ ...first, ...second })

export const status = (code: number, text?: string) =>
  answer({ status: code, ...(text === undefined ? {} : { text }) })

export const text = (instead: string) => answer({ text: instead })

export const header = (name: string, value?: string): Tampering => ({
  answer: (passing) => {
    const { [name]: _, ...headers } = passing.headers
    return { ...passing, headers: value === undefined ? headers : { ...headers, [name]: value } }
  },
})

export const hangUp: Tampering = { answer: () => 'hang-up' }

/** Nothing performed at all, and an answer without a body as if it had been. */
export const nothingDone: Tampering = {
  request: (passing) => ({ ...passing, method: 'GET', path: '/v1/libraries', text: '' }),
  answer: ({ headers: { 'content-type': _, ...headers } }) => ({ status: 204, headers, text: '' }),
}
