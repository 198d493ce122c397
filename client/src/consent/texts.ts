/** The texts of the question whether answers may be shared, in English. A page can pass translations. */

export interface ConsentTexts {
  /** The language of the texts, such as `en`, as in the `lang` attribute. */
  readonly language: string;
  /** The name of the region, for screen readers. */
  readonly title: string;
  readonly question: string;
  readonly share: string;
  readonly refuse: string;
  /** The button that leads to the inspector. */
  readonly inspect: string;
  /** Told to screen readers when the person has decided. */
  readonly shared: string;
  readonly refused: string;
}

export const english: ConsentTexts = {
  language: 'en',
  title: 'Share randomized answers',
  question: 'May we learn how you use this app? Your answers are changed at random before they leave this device.',
  share: 'Share',
  refuse: 'Do not share',
  inspect: 'What is asked and sent?',
  shared: 'You share randomized answers.',
  refused: 'You share nothing.',
};
