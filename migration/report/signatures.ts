import * as z from 'zod'
import { blames, differenceClasses, differenceKinds, selectGravest } from '../diff/verdict.ts'
import type { Comparison, ReportedDifference } from './parity-run.ts'

/** One kind of difference of one route, over all the comparisons that met it. */
export const SignatureSummary = z.strictObject({
  signature: z.string(),
  label: z.string(),
  kind: z.enum(differenceKinds),
  path: z.string(),
  /** The gravest one it was ever given. */
  class: z.enum(differenceClasses),
  blame: z.enum(blames),
  comparisons: z.int().min(1),
  places: z.int().min(1),
  scenarios: z.array(z.string()),
  example: z.strictObject({ path: z.string(), native: z.string().nullable(), core: z.string().nullable() }),
  reason: z.string().nullable(),
  forbidsPromotion: z.boolean(),
})
export type SignatureSummary = z.infer<typeof SignatureSummary>

interface Sighting {
  readonly comparison: Comparison
  readonly difference: ReportedDifference
}

const mostScenarios = 5

const summarise = (sightings: readonly [Sighting, ...Sighting[]]): SignatureSummary => {
  const worst = selectGravest(sightings.map(({ difference }) => difference.class))
  const { comparison, difference } =
    sightings.find((sighting) => sighting.difference.class === worst) ?? sightings[0]
  const { signature, kind, path, blame, example, reason = null } = difference
  return {
    signature,
    label: comparison.label,
    kind,
    path,
    class: worst,
    blame,
    comparisons: sightings.length,
    places: sightings.reduce((sum, sighting) => sum + sighting.difference.count, 0),
    scenarios: [...new Set(sightings.map((sighting) => sighting.comparison.scenario))].slice(
      0,
      mostScenarios,
    ),
    example,
    reason,
    forbidsPromotion: sightings.some((sighting) => sighting.difference.forbidsPromotion),
  }
}

const rank = ({ class: name }: SignatureSummary) => differenceClasses.indexOf(name)

/** The differences of a run, the gravest first, then the most frequent. */
export const summariseSignatures = (comparisons: readonly Comparison[]): SignatureSummary[] => {
  const sightings = comparisons.flatMap((comparison) =>
    comparison.differences.map((difference) => ({ comparison, difference })),
  )
  return [...Map.groupBy(sightings, ({ difference }) => difference.signature).values()]
    .flatMap(([first, ...others]) => (first ? [summarise([first, ...others])] : []))
    .sort((a, b) => rank(b) - rank(a) || b.comparisons - a.comparisons)
}
