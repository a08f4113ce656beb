import * as z from 'zod'
import { Issue } from '../errors.ts'
import { Id, Percent, Timestamp } from './primitives.ts'

// ISO 3166-1 alpha-2
const countries = [
  'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ',
  'CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO',
  'FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE',
  'JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO',
  'MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW',
  'PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM',
  'TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW',
].flatMap((line) => line.split(' '))

const territoryPattern = /^(WORLD|[A-Z]{2})$/

export const TerritoryInput = z
  .enum(['WORLD', ...countries], { error: 'must be WORLD or an ISO 3166-1 alpha-2 country code' })
  .meta({ describedAs: territoryPattern.source })

/** An older sheet may have a country code that ISO 3166-1 has withdrawn. */
const Territory = z.string().regex(territoryPattern)

export const PublisherRole = z.enum(['original_publisher', 'administrator', 'co_publisher'])

export const SplitRight = z.enum(['mechanical', 'performance', 'sync', 'print', 'other'])

const Share = z.object({ collaboratorId: z.string(), percentage: Percent })

const identity = {
  name: z.string().nullable(),
  pro: z.string().nullable(),
  ipi: z.string().nullable(),
}

const Entry = Share.extend({ ...identity, role: z.string().nullable() })

const CollectionSplit = z.object({ right: SplitRight, percentage: Percent, territory: Territory })

const SubPublisher = Share.extend({
  ...identity,
  territories: z.array(Territory),
  collectionSplits: z.array(CollectionSplit),
})

const Publisher = Share.extend({
  ...identity,
  writerCollaboratorId: z.string().nullable(),
  role: PublisherRole,
  territory: Territory,
  subPublishers: z.array(SubPublisher),
  collectionSplits: z.array(CollectionSplit),
})

/**
 * Who owns a track, in the order in which the entries were sent. A track without a stored sheet has an empty,
 * incomplete one.
 */
export const SplitSheet = z.object({
  trackId: Id,
  address: z.string(),
  intendedUse: z.string(),
  master: z.array(Entry),
  writers: z.array(Entry),
  publishers: z.array(Publisher),
  status: z.object({
    isComplete: z.boolean(),
    validationErrors: z.array(Issue),
    validatedAt: Timestamp.nullable(),
  }),
  createdAt: Timestamp.nullable(),
  updatedAt: Timestamp.nullable(),
})
export type SplitSheet = z.infer<typeof SplitSheet>
