import * as z from 'zod'
import type { Label } from '#contracts/route-table.ts'
import { type FirstComparison, liveExclusions } from '../diff/compare-live.ts'
import { blames, type Difference, differenceClasses, differenceKinds } from '../diff/verdict.ts'
import { unreadableReasons } from './read-copied-response.ts'
import { nativeExclusions, type ShadowedRequest } from './run-shadowed.ts'
import type { DropReason } from './spawn-child.ts'

/** A response as received: the headers as a flat list [name, value, name, value, ...], the body still encoded. */
export interface CopiedResponse {
  readonly status: number
  readonly headers: readonly string[]
  readonly body: Buffer
}

export interface CopiedWrite {
  readonly label: Label
  readonly params: Readonly<Record<string, string>>
  /** The request body; null if there is none. */
  readonly request: Buffer | null
  readonly response: CopiedResponse
}

export type ComparisonTask =
  /** Runs native, compares its response with the core's, and checks the core's response against `write`. */
  | {
      readonly kind: 'shadow'
      readonly label: Label
      readonly request: ShadowedRequest
      readonly core: CopiedResponse
      readonly write?: CopiedWrite | undefined
    }
  | {
      readonly kind: 'compare'
      readonly label: Label
      readonly request: ShadowedRequest
      readonly native: CopiedResponse
      readonly core: CopiedResponse
    }
  /** Runs native and keeps its response for ten seconds. */
  | {
      readonly kind: 'keep-native'
      readonly id: string
      readonly label: Label
      readonly request: ShadowedRequest
    }
  /** Compares the response kept under this id with the core responses before and after it. */
  | {
      readonly kind: 'confirm'
      readonly id: string
      readonly label: Label
      readonly before: CopiedResponse
      readonly after: CopiedResponse
      /** Null if native was asked before the core, because data may have changed in between. */
      readonly first: FirstComparison<CopiedResponse> | null
    }

const notComparableReasons = [
  ...liveExclusions,
  ...nativeExclusions,
  ...unreadableReasons,
  /** Native's response was already used, or is older than ten seconds. */
  'not_kept',
  /** The database is a replica, which may lag behind what the core has read. */
  'replica',
] as const

/** Maximum length of a path or masked value. */
export const maxTextLength = 400
export const maxDifferences = 50
/** More shapes than any response has. A test checks this. */
export const maxShapes = 500

const text = z.string().max(maxTextLength)
const signature = z.string().regex(/^[0-9a-f]{16}$/)

// At run time, a field without a schema would make the result invalid. A new field therefore does not compile until it
// has a schema.
const difference = {
  kind: z.enum(differenceKinds),
  path: text,
  class: z.enum(differenceClasses),
  blame: z.enum(blames),
  signature,
  count: z.int().min(1),
  example: z.strictObject({ path: text, native: text.nullable(), core: text.nullable() }),
  reason: text.exactOptional(),
  expires: z.iso.date().exactOptional(),
  forbidsPromotion: z.literal(true).exactOptional(),
} satisfies { readonly [K in keyof Required<Difference>]: z.ZodType }

const differences = z.array(z.strictObject(difference)).max(maxDifferences).readonly()
/** The core response's shapes, from `responseShapesOf`. */
const shapes = z.array(text).max(maxShapes).readonly()

const Result = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('compared'),
    class: z.enum(differenceClasses),
    differences,
    shapes,
  }),
  z.strictObject({ kind: z.literal('kept') }),
  z.strictObject({
    kind: z.literal('confirmed'),
    /** In places where the core's own responses agree. */
    differences,
  }),
  z.strictObject({
    kind: z.literal('not_comparable'),
    reason: z.enum(notComparableReasons),
    /** Absent if no response to such a request could be compared. */
    shapes: shapes.exactOptional(),
  }),
])

/** The child process's result, with all values masked. */
export type ChildResult = z.infer<typeof Result>

/** `dropped` means that the task was not processed. */
export type ComparisonResult = ChildResult | { readonly kind: 'dropped'; readonly reason: DropReason }

export const parseComparisonResult = (result: unknown): ChildResult => Result.parse(result)
