import * as z from 'zod'
import { multilineText, singleLineText } from './input.ts'

const percentage = z
  .number('expected a number')
  .min(0, 'expected 0 to 100')
  .max(100, 'expected 0 to 100')
  .transform((value) => Math.round(value * 10_000) / 10_000)

const collaboratorId = singleLineText(1, 128)

// ISO 3166-1 alpha-2
const countries = `
  AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ
  CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO
  FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE
  JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO
  MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW
  PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM
  TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW`

const territories: ReadonlySet<string> = new Set(['WORLD', ...countries.trim().split(/\s+/)])

const territory = z
  .string('expected a string')
  .refine((code) => territories.has(code), 'expected WORLD or the two letters of a country')

const list = <T extends z.ZodType>(item: T) => z.array(item, 'expected an array')

const Entry = z.object({ collaboratorId, percentage })

const CollectionSplit = z.object({
  right: z.enum(['mechanical', 'performance', 'sync', 'print', 'other'], 'not a right'),
  percentage,
  territory: territory.default('WORLD'),
})

const SubPublisher = Entry.extend({
  territories: list(territory).min(1, 'expected at least one'),
  collectionSplits: list(CollectionSplit).default([]),
})

const Publisher = Entry.extend({
  writerCollaboratorId: collaboratorId.nullable().default(null),
  role: z
    .enum(['original_publisher', 'administrator', 'co_publisher'], 'not a role of publishers')
    .default('original_publisher'),
  territory: territory.default('WORLD'),
  subPublishers: list(SubPublisher).default([]),
  collectionSplits: list(CollectionSplit).default([]),
})

/** A split sheet as clients send it, with defaults for omitted fields. It is stored in the same form. */
export const SplitSheet = z.object({
  address: multilineText(500).default(''),
  intendedUse: multilineText(500).default(''),
  master: list(Entry).min(1, 'expected at least one'),
  writers: list(Entry).min(1, 'expected at least one'),
  publishers: list(Publisher).default([]),
})
export type SplitSheet = z.output<typeof SplitSheet>
