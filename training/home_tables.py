"""What is in a home, and what it says: the words and templates of `training.home`."""

from __future__ import annotations

ROOMS = [
    "kitchen",
    "living room",
    "bedroom",
    "bathroom",
    "garage",
    "hallway",
    "garden",
    "office",
    "basement",
    "attic",
    "dining room",
    "nursery",
    "porch",
    "guest room",
    "laundry room",
    "study",
    "terrace",
    "cellar",
    "staircase",
    "workshop",
    "conservatory",
    "balcony",
    "shed",
    "pantry",
    "playroom",
    "corridor",
    "upstairs bathroom",
    "children's room",
    "driveway",
    "greenhouse",
]
DEVICES = [
    "light",
    "lamp",
    "heater",
    "fan",
    "thermostat",
    "window",
    "blind",
    "shutter",
    "lock",
    "camera",
    "speaker",
    "television",
    "radiator",
    "washing machine",
    "dryer",
    "dishwasher",
    "oven",
    "alarm",
    "sensor",
    "vacuum cleaner",
    "sprinkler",
    "doorbell",
    "fridge",
    "freezer",
    "coffee machine",
    "boiler",
    "air conditioner",
    "humidifier",
    "motion sensor",
    "smoke detector",
    "water pump",
    "router",
    "printer",
    "kettle",
    "ceiling fan",
    "door",
    "curtain",
    "socket",
    "charger",
    "heat pump",
    "gate",
    "skylight",
    "plug",
    "switch",
    "lights",
    "blinds",
    "curtains",
    "radio",
    "projector",
    "mower",
]
DOORS = [
    "front door",
    "back door",
    "garage door",
    "patio door",
    "balcony door",
    "garden gate",
    "kitchen window",
    "bedroom window",
    "cellar door",
    "bathroom window",
    "skylight",
    "side door",
    "letter box",
    "main gate",
    "living room window",
]
STATES = [
    "on",
    "off",
    "open",
    "closed",
    "locked",
    "unlocked",
    "running",
    "finished",
    "low",
    "empty",
    "full",
    "offline",
    "online",
    "too hot",
    "too cold",
    "ready",
    "still on",
    "still open",
    "not responding",
    "available again",
    "charging",
    "fully charged",
    "blocked",
    "wet",
    "dry",
    "unavailable",
    "switched on",
    "switched off",
    "disconnected",
    "connected",
    "paused",
    "stuck",
    "armed",
    "disarmed",
]
PEOPLE = [
    "Anna",
    "Peter",
    "Maria",
    "John",
    "Emma",
    "Lucas",
    "Sarah",
    "David",
    "Julia",
    "Thomas",
    "Laura",
    "Michael",
    "Sophie",
    "Paul",
    "Nina",
    "the postman",
    "a visitor",
    "your mother",
    "somebody",
    "your neighbour",
    "Daniel",
    "Alice",
    "Robert",
    "Grandma",
    "the children",
    "nobody",
    "everybody",
]
MUSIC = [
    "jazz",
    "classical music",
    "the radio",
    "some quiet music",
    "your favourite playlist",
    "the news",
    "rock music",
    "a podcast",
    "an audio book",
    "the next song",
]
WEATHER = [
    "sunny",
    "cloudy",
    "rainy",
    "windy",
    "foggy",
    "snowy",
    "clear",
    "stormy",
    "mostly cloudy",
    "partly sunny",
    "cold and dry",
    "warm and humid",
    "mild",
    "freezing",
    "hot",
    "pleasant",
    "grey",
    "bright and cool",
]
FALLS = [
    "rain",
    "snow",
    "thunder",
    "fog",
    "sunshine",
    "strong wind",
    "heavy rain",
    "light showers",
    "frost",
    "hail",
    "drizzle",
    "clouds",
]
DAYS = [
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
    "Sunday",
    "today",
    "tomorrow",
    "this weekend",
    "next week",
]
MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
PARTS = ["morning", "afternoon", "evening", "night"]
THINGS = [
    "pasta",
    "eggs",
    "bread",
    "cake",
    "tea",
    "pizza",
    "laundry",
    "rice",
    "chicken",
    "coffee",
    "homework",
    "workout",
    "potatoes",
    "soup",
    "break",
    "nap",
    "roast",
    "cookies",
]
SHOPPING = [
    "milk",
    "butter",
    "bread",
    "eggs",
    "apples",
    "cheese",
    "tomatoes",
    "batteries",
    "washing powder",
    "coffee",
    "bananas",
    "flour",
    "sugar",
    "dog food",
    "light bulbs",
    "toilet paper",
    "onions",
    "orange juice",
    "yoghurt",
    "salt",
]
EVENTS = [
    "dentist appointment",
    "meeting",
    "dinner",
    "school run",
    "football practice",
    "birthday party",
    "doctor's appointment",
    "phone call",
    "garbage collection",
    "piano lesson",
    "parents' evening",
    "swimming class",
    "delivery",
    "flight",
    "train",
]

TEMPLATES = tuple(
    line.strip()
    for line in """
The {room} {device} is {state}.
The {room} {device} is {state}.
The {device} in the {room} is {state}.
The {device} in the {room} has been {state} for {minutes}.
The {door} is {state}.
The {door} has been open for {minutes}.
Please close the {door} before you leave.
Please check the {device} in the {room}.
Turning {onoff} the {room} {device}.
Turned {onoff} the {device} in the {room}.
Turn {onoff} the {room} {device}, please.
I have turned {onoff} the {room} {device} and the {device}.
Okay, the {room} {device} is now {state}.
It is {temp} in the {room}.
The temperature in the {room} is {temp}.
The {room} temperature is {temp}, and the humidity is {percent}.
Outside it is {temp}, {percent} humidity.
I set the {room} {device} to {temp}.
The {room} {device} is set to {percent}.
Dimming the {room} lights to {percent}.
The battery of the {room} {device} is at {percent}.
The battery of the {device} is {state}. Please charge it soon.
Warning: the {room} {device} is {state}!
Attention, the {device} in the {room} is {state}!
It is {time}.
It is {time} on {day}.
The time is {time}.
Good {part}, {person}! It is {time}, and the {door} is {state}.
Good {part}! It is {temp} outside and {weather}.
Good {part}, {person}.
Your alarm is set for {time}.
Your {thing} timer for {minutes} is done.
The timer for {minutes} is done.
The {thing} timer has {minutes} left.
Timer set for {minutes}.
I started a timer for {minutes}.
There are {minutes} left on the {thing} timer.
The {device} will start at {time}.
The {device} will be {state} in {minutes}.
The {device} has finished.
{day}'s weather: {weather}, with a high of {temp} and a low of {temp}.
Expect {falls} on {day} {part}.
On {day} it will be {weather}, around {temp}.
There is a {percent} chance of {falls} {day}.
The wind is blowing at {num} km/h.
Wind speed {num} km/h, gusts up to {num} km/h.
The power consumption is {num} W.
The house is using {decimal} kW right now.
Today the solar panels made {decimal} kWh.
The electricity price is {num} cents per kilowatt hour.
{person} is at the {door}.
{Person} has arrived at home.
{Person} left the house at {time}.
Someone is at the {door}.
There is movement in the {room}.
Motion was detected in the {room} at {time}.
The {device} in the {room} was {state} at {time}.
Do you want me to turn {onoff} the {room} {device}?
Is the {room} {device} {state}?
Should I close the {door}?
Who is at the {door}?
What is the temperature in the {room}?
How long has the {door} been open?
Did you lock the {door}?
You have {num} new messages.
You have {small} appointments {day}.
Your {event} is at {time}.
Remember your {event} on {day} at {time}.
The next {event} is on {month} {dayno}.
{day} is {month} {dayno}.
Today is {weekday}, {month} {dayno}.
I added {shop} to your shopping list.
I added {shop} and {shop} to the shopping list.
There are {small} items on your list: {shop}, {shop} and {shop}.
Playing {music} in the {room}.
Pausing {music}.
The volume in the {room} is {percent}.
Sorry, I could not find the {device} in the {room}.
Sorry, I did not understand that.
The {device} is not responding. Try again in {minutes}.
All {room} lights are {state}.
All doors and windows are {state}.
{small} windows are still open: the {door} and the {door}.
{num} {device}s are {state}.
The {room} is {state}.
The {room} air quality is {num}.
The pressure is {big} hPa.
The CO2 level in the {room} is {big} ppm.
The water tank is {percent} full.
The car is {percent} charged and will be ready at {time}.
The {device} used {decimal} kWh {day}.
Code {digits} was accepted.
Channel {num}, volume {num}.
Room {num} is {temp}.
Step {small} of {small}: open the {device}.
The {event} costs {price}.
Bus {num} leaves in {minutes}.
The train leaves at {time} from platform {small}.
The {device} needs a new filter in {num} days.
It has been {num} days since the last {event}.
Bedtime in {minutes}, {person}.
Dinner is ready!
Good night. All lights are off, and the {door} is {state}.
Welcome home, {person}.
Welcome home, {person}! The {room} is {temp}.
Leak detected in the {room}!
Smoke was detected in the {room}. Please leave the house now!
Starting the {device} in the {room}.
The {device} and the {device} are {state}.
The {room} {device} opens at {time} and closes at {time}.
It is {temp} in the {room}, {temp} in the {room} and {temp} outside.
Yes, the {device} is {state}.
No, the {door} is {state}.
{onoff} for {minutes}, then off.
{State}.
{Room} {device} {state}.
Done.
Okay.
All right.
{time}.
{temp}.
{percent}.
""".splitlines()
    if line.strip()
)

NUMBERS = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
    "thirty",
    "forty",
    "fifty",
    "sixty",
    "seventy",
    "eighty",
    "ninety",
    "hundred",
    "thousand",
    "point",
    "percent",
    "degrees",
    "celsius",
    "fahrenheit",
    "minus",
    "o'clock",
    "am",
    "pm",
    "a",
    "m",
    "p",
    "and",
    "the",
    "of",
    "first",
    "second",
    "third",
    "kilometers",
    "per",
    "hour",
    "kilowatt",
    "hours",
    "watts",
    "dollars",
    "cents",
    "parts",
    "million",
]
