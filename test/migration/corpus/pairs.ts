import type { Label } from '#contracts/route-table.ts'
import type { Noise } from '#migration/diff/noise.ts'
import type { RecordedResponse } from '#migration/diff/recorded-response.ts'
import { type DifferenceClass, differenceClasses, selectMostSevere } from '#migration/diff/verdict.ts'
import { dropField, replaceValue, type Steps } from '../mutations.ts'
import { recordedResponse } from '../responses.ts'

/**
 * Two responses and the expected differences between them, each as text: `kind path class blame`. The blame is
 * `unknown` unless one side violates the contract or the core is known to be deterministic at this location.
 */
export interface ResponsePair {
  readonly title: string
  readonly label: Label
  readonly native: RecordedResponse
  readonly core: RecordedResponse
  readonly noise?: Noise
  readonly expected: readonly string[]
}

export type Change = (response: RecordedResponse) => RecordedResponse

const stepsOf = (path: string): Steps =>
  path.split('.').map((step) => (/^\d+$/.test(step) ? Number(step) : step))

const inBody =
  (change: (body: unknown) => unknown): Change =>
  (before) =>
    before.body.kind === 'json'
      ? { ...before, body: { kind: 'json', value: change(before.body.value) } }
      : before

export const setField = (path: string, value: unknown) =>
  inBody((body) => replaceValue(body, stepsOf(path), value))

export const removeField = (path: string) => inBody((body) => dropField(body, stepsOf(path)))

const inArray = (path: string, change: (elements: readonly unknown[]) => unknown) =>
  inBody((body) => {
    const elements = stepsOf(path).reduce<unknown>((value, step) => Reflect.get(Object(value), step), body)
    return replaceValue(body, stepsOf(path), change(Array.isArray(elements) ? elements : []))
  })

export const reverse = (path: string) => inArray(path, (elements) => elements.toReversed())

export const removeElement = (path: string, index: number) =>
  inArray(path, (elements) => elements.filter((_, other) => other !== index))

export const append = (path: string, element: unknown) => inArray(path, (elements) => [...elements, element])

export const prepend = (path: string, element: unknown) => inArray(path, (elements) => [element, ...elements])

export const setHeader =
  (name: string, value?: string): Change =>
  (before) => {
    const { [name]: _, ...others } = before.headers
    return { ...before, headers: value === undefined ? others : { ...others, [name]: value } }
  }

export const replaceResponse =
  (status: number, body?: unknown): Change =>
  () =>
    recordedResponse(status, body)

export const setText =
  (content: string): Change =>
  (before) => ({ ...before, body: { kind: 'text', text: content } })

interface Sides {
  readonly native?: Change | readonly Change[]
  readonly core?: Change | readonly Change[]
  /** Changes to both sides, made before those in `native` and `core`. */
  readonly both?: Change | readonly Change[]
  readonly noise?: Noise
}

/** The title says how the changed side's response differs from the other side's. */
type PairRow = readonly [title: string, sides: Sides, ...expected: string[]]

const results: Readonly<Record<DifferenceClass, string>> = {
  equal: 'finds no difference',
  noise: 'finds noise',
  accepted: 'accepts the difference',
  transient: 'finds a transient difference',
  not_comparable: 'reports responses that are not comparable',
  regression: 'reports a regression',
  critical: 'reports a critical difference',
  failed: 'reports a failed comparison',
}

export const selectExpectedClass = (expected: readonly string[]) =>
  selectMostSevere(
    differenceClasses.filter((name) => expected.some((line) => line.split(' ').at(-2) === name)),
  )

const apply = (before: RecordedResponse, changes: Change | readonly Change[] = []) =>
  [changes].flat().reduce((current, change) => change(current), before)

export const createResponsePairs = (
  label: Label,
  base: RecordedResponse,
  rows: readonly PairRow[],
): readonly ResponsePair[] =>
  rows.map(([title, { native, core, both, noise }, ...expected]) => ({
    title: `${results[selectExpectedClass(expected)]} if the ${base.status} response of ${label} ${title}`,
    label,
    native: apply(apply(base, both), native),
    core: apply(apply(base, both), core),
    ...(noise && { noise }),
    expected,
  }))

/** The noise of a core whose two responses differed at these locations, for example `value body.title`. */
export const noiseAt = (...locations: readonly string[]): Noise => ({
  pairs: 1,
  disagreements: new Map(locations.map((location) => [location, 1])),
})

/** The noise of a core that returned the same response twice. */
export const identicalRepeat = noiseAt()

export const id = (last: number) => `0198c1f0-7c1a-7000-8000-${String(last).padStart(12, '0')}`
export const timestampAt = (minute: number) => `2026-11-20T10:${String(minute).padStart(2, '0')}:00.000Z`
export const token = (letter: string) => letter.repeat(43)
export const url = (name: string, signature: string) =>
  `https://store.example.com/bucket/${name}?X-Amz-Expires=300&X-Amz-Signature=${signature}`
