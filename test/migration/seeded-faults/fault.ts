import type { Label } from '#contracts/route-table.ts'
import type { DifferenceClass, DifferenceKind } from '#migration/diff/verdict.ts'
import type { ComparedSide } from '#migration/parity/run/side.ts'
import type { ProxiedRequest, ProxiedResponse, Tampering } from '../parity/run/two-sides.ts'

/** A fault on one side, and the only difference that a run must report. */
export interface SeededFault {
  readonly title: string
  readonly on: ComparedSide['name']
  readonly scenario: readonly [label: Label, title: string]
  readonly tampering: Tampering
  readonly found: string
}

type SeededFinding = `${DifferenceKind} at ${string}, ${DifferenceClass}`

interface FaultLocation {
  readonly on: ComparedSide['name']
  readonly label: Label
  /** The status of the changed responses; if undefined, all responses of the route are changed. */
  readonly status?: number
  readonly scenario: string
  /** The route that the scenario is for, if it calls the faulty route only to read back what it wrote. */
  readonly of?: Label
  /** The side that must be blamed; by default, the one with the faults. */
  readonly blame?: ComparedSide['name']
}

export const createFaults = (
  { on, label, status, scenario, of = label, blame = on }: FaultLocation,
  faults: readonly (readonly [title: string, tampering: Tampering, found: SeededFinding])[],
): SeededFault[] =>
  faults.map(
    ([title, { request, response: changeResponse }, found]): SeededFault => ({
      title: `${title} in ${label}`,
      on,
      scenario: [of, scenario],
      tampering: {
        request: (passing) => (passing.label === label ? (request?.(passing) ?? passing) : passing),
        ...(changeResponse && {
          response: (passing, original) =>
            original.label === label && (status === undefined || passing.status === status)
              ? changeResponse(passing, original)
              : passing,
        }),
      },
      found: `${label}: ${found}, blame ${blame}`,
    }),
  )

export type Json = Readonly<Record<string, unknown>>

const parse = (text: string): Json => JSON.parse(text)

const mapped =
  (change: (json: Json) => unknown) =>
  <T extends ProxiedResponse | ProxiedRequest>(passing: T): T => ({
    ...passing,
    text: JSON.stringify(change(parse(passing.text))),
  })

/** Responds with the trimmed name from the request, as if the side had stored exactly that name. */
export const returnSentName: Tampering = {
  response: (passing, { text }) =>
    mapped((json) => ({ ...json, name: String(parse(text).name).trim() }))(passing),
}

/** Changes the name in the request body, so the side stores a different one. */
export const changeSentName = (change: (name: string) => string): Tampering => ({
  request: mapped((json) => ({ ...json, name: change(String(json.name)) })),
})

const changeResponse = (change: Partial<ProxiedResponse>): Tampering => ({
  response: (passing) => ({ ...passing, ...change }),
})

export const changeBody = (change: (json: Json) => unknown): Tampering => ({ response: mapped(change) })

export const setFields = (changed: Json) => changeBody((json) => ({ ...json, ...changed }))

export const removeField = (name: string) => changeBody(({ [name]: _, ...rest }) => rest)

export const changeField = <T>(name: string, change: (value: T) => unknown) =>
  // The caller knows the type of the field.
  changeBody((json) => ({ ...json, [name]: change(json[name] as T) }))

/** Changes the request body, so the side does something different. */
export const changeRequest = (changed: Json): Tampering => ({
  request: mapped((json) => ({ ...json, ...changed })),
})

export const combine = (first: Tampering, second: Tampering): Tampering => ({ ...first, ...second })

export const setStatus = (code: number, text?: string) =>
  changeResponse({ status: code, ...(text === undefined ? {} : { text }) })

export const setText = (replacement: string) => changeResponse({ text: replacement })

export const setHeader = (name: string, value?: string): Tampering => ({
  response: (passing) => {
    const { [name]: _, ...headers } = passing.headers
    return { ...passing, headers: value === undefined ? headers : { ...headers, [name]: value } }
  },
})

export const hangUp: Tampering = { response: () => 'hang-up' }

/** Replaces the request with a read and returns 204, as if the side had performed the request. */
export const skipRequest: Tampering = {
  request: (passing) => ({ ...passing, method: 'GET', path: '/v1/libraries', text: '' }),
  response: ({ headers: { 'content-type': _, ...headers } }) => ({ status: 204, headers, text: '' }),
}
