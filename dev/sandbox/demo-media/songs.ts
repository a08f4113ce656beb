/** Red, green and blue, each from 0 to 255. */
export type Colour = readonly [number, number, number]

export interface DemoSong {
  readonly trackId: string
  readonly name: string
  readonly beatsPerMinute: number
  readonly beatsPerChord: number
  /** MIDI note numbers. The first is the bass. */
  readonly chords: readonly (readonly number[])[]
  /** For each half beat, which note of the chord to pluck: 1 is the first, 0 is a rest. The pattern repeats. */
  readonly plucks: readonly number[]
  readonly timbre: readonly number[]
  readonly art: {
    readonly sky: Colour
    readonly horizon: Colour
    readonly sea: Colour
    readonly disc: Colour
    /** Centre and radius of the sun or moon, as fractions of the width. */
    readonly place: readonly [x: number, y: number, radius: number]
  }
}

export const demoSongs: readonly DemoSong[] = [
  {
    trackId: 'track_harbour_lights',
    name: 'harbour-lights',
    beatsPerMinute: 84,
    beatsPerChord: 4,
    chords: [
      [45, 57, 60, 64, 67],
      [41, 57, 60, 65, 69],
      [48, 55, 60, 64, 67],
      [43, 55, 59, 62, 67],
    ],
    plucks: [2, 3, 4, 5, 4, 3, 4, 3],
    timbre: [1, 0.5, 0.2],
    art: {
      sky: [22, 28, 66],
      horizon: [232, 120, 92],
      sea: [18, 40, 84],
      disc: [255, 214, 150],
      place: [0.5, 0.56, 0.16],
    },
  },
  {
    trackId: 'track_slow_tide',
    name: 'slow-tide',
    beatsPerMinute: 66,
    beatsPerChord: 4,
    chords: [
      [38, 57, 62, 66, 69],
      [35, 54, 59, 62, 69],
      [43, 55, 59, 62, 66],
      [45, 57, 61, 64, 71],
    ],
    plucks: [5, 0, 3, 0, 4, 0, 2, 3],
    timbre: [1, 0.1, 0.3],
    art: {
      sky: [150, 206, 214],
      horizon: [248, 240, 214],
      sea: [32, 120, 132],
      disc: [255, 255, 246],
      place: [0.3, 0.3, 0.11],
    },
  },
  {
    trackId: 'track_paper_boats',
    name: 'paper-boats',
    beatsPerMinute: 104,
    beatsPerChord: 3,
    chords: [
      [41, 57, 60, 65, 72],
      [46, 58, 62, 65, 70],
      [48, 58, 60, 64, 67],
      [41, 57, 60, 65, 69],
      [38, 57, 62, 65, 74],
      [48, 55, 60, 64, 72],
      [41, 53, 57, 60, 65],
    ],
    plucks: [5, 0, 3, 4, 3, 4],
    timbre: [1, 0.6, 0.4, 0.2],
    art: {
      sky: [246, 196, 120],
      horizon: [252, 236, 206],
      sea: [206, 92, 72],
      disc: [255, 250, 236],
      place: [0.68, 0.36, 0.14],
    },
  },
  {
    trackId: 'track_night_ferry',
    name: 'night-ferry',
    beatsPerMinute: 96,
    beatsPerChord: 4,
    chords: [
      [40, 55, 59, 64, 66],
      [36, 55, 60, 64, 71],
      [43, 55, 59, 62, 69],
      [38, 54, 57, 62, 66],
      [40, 55, 59, 64, 71],
    ],
    plucks: [2, 4, 3, 5, 2, 4, 3, 0],
    timbre: [1, 0.05, 0.45, 0.02, 0.2],
    art: {
      sky: [8, 10, 24],
      horizon: [46, 52, 96],
      sea: [10, 18, 40],
      disc: [236, 238, 250],
      place: [0.74, 0.2, 0.08],
    },
  },
]
