import type { Label } from '#contracts/route-table.ts'
import type { Side } from '#migration/contract-run/side.ts'
import type { DifferenceClass, DifferenceKind } from '#migration/diff/verdict.ts'
import type { PassingAnswer, PassingRequest, Tampering } from '../contract-run/two-sides.ts'

/** A fault on one side, and the only difference that a run must report. */
export interface Fault {
  readonly title: string
  readonly on: Side['name']
  /** The scenario that must find it. */
  readonly scenario: readonly [label: Label, title: string]
  readonly tampering: Tampering
  readonly found: string
}

type Finding = `${DifferenceKind} at ${string}, ${DifferenceClass}`

interface FaultLocation {
  readonly on: Side['name']
  /** The route with the faults. */
  readonly label: Label
  /** The status of the changed responses; undefined changes all responses of the route. */
  readonly status?: number
  /** The title of the scenario that must find them. */
  readonly scenario: string
  /** The route of that scenario, if the faulty route is its read-back. */
  readonly of?: Label
  /** The expected blame; default: the side with the faults. */
  readonly blame?: Side['name']
}

/** Faults of one route, each with the difference that a run must report. */
export const faultsIn = (
  { on, label, status, scenario, of = label, blame = on }: FaultLocation,
  faults: readonly (readonly [title: string, tampering: Tampering, found: Finding])[],
): Fault[] =>
  faults.map(
    ([title, { request, answer: changeResponse }, found]): Fault => ({
      title: `${title} in ${label}`,
      on,
      scenario: [of, scenario],
      tampering: {
        request: (passing) => (passing.label === label ? (request?.(passing) ?? passing) : passing),
        answer: (passing, original) =>
          original.label === label && (status === undefined || passing.status === status)
            ? (changeResponse?.(passing, original) ?? passing)
            : passing,
      },
      found: `${label}: ${found}, blame ${blame}`,
    }),
  )

export type Json = Readonly<Record<string, unknown>>

const parse = (text: string): Json => JSON.parse(text)

const mapped =
  (change: (json: Json) => unknown) =>
  <T extends PassingAnswer | PassingRequest>(passing: T): T => ({
    ...passing,
    text: JSON.stringify(change(parse(passing.text))),
  })

const changeResponse = (change: Partial<PassingAnswer>): Tampering => ({
  answer: (passing) => ({ ...passing, ...change }),
})

/** Changes the body. */
export const body = (change: (json: Json) => unknown): Tampering => ({ answer: mapped(change) })

export const fields = (changed: Json) => body((json) => ({ ...json, ...changed }))

export const lacking = (name: string) => body(({ [name]: _, ...rest }) => rest)

/** Changes the value of one field. */
export const within = <T>(name: string, change: (value: T) => unknown) =>
  // The caller knows the type of the field.
  body((json) => ({ ...json, [name]: change(json[name] as T) }))

/** Changes the request body, so that the side does something else. */
export const asked = (changed: Json): Tampering => ({ request: mapped((json) => ({ ...json, ...changed })) })

export const both = (first: Tampering, second: Tampering): Tampering => ({ ...first, ...second })

export const setStatus = (code: number, text?: string) =>
  changeResponse({ status: code, ...(text === undefined ? {} : { text }) })

export const setText = (replacement: string) => changeResponse({ text: replacement })

export const header = (name: string, value?: string): Tampering => ({
  answer: (passing) => {
    const { [name]: _, ...headers } = passing.headers
    return { ...passing, headers: value === undefined ? headers : { ...headers, [name]: value } }
  },
})

export const hangUp: Tampering = { answer: () => 'hang-up' }

/** Replaces the request by a read and returns 204, as if the side had performed it. */
export const nothingDone: Tampering = {
  request: (passing) => ({ ...passing, method: 'GET', path: '/v1/libraries', text: '' }),
  answer: ({ headers: { 'content-type': _, ...headers } }) => ({ status: 204, headers, text: '' }),
}
