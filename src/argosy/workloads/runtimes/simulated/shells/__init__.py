"""As much of a shell as container commands need to be played: what they print, how long they sleep, how they exit."""
