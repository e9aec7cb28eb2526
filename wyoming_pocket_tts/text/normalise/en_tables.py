"""Tables of English: months, abbreviations, acronyms."""

from __future__ import annotations

from .tables import words

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
)  # fmt: skip
MONTH_NAMES: dict[str, int] = {name.lower(): i for i, name in enumerate(MONTHS, 1)} | {
    "jan": 1, "feb": 2, "mar": 3, "apr": 4, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "sept": 9, "oct": 10,
    "nov": 11, "dec": 12,
}  # fmt: skip
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
WEEKDAYS: dict[str, str] = {
    **{day.lower(): day for day in _DAYS},
    **{day[:3].lower(): day for day in _DAYS},
    "tues": "Tuesday",
    "thur": "Thursday",
    "thurs": "Thursday",
}

ABBREVIATIONS: dict[str, str] = {
    "Mr.": "Mister",
    "Mrs.": "Missus",
    "Ms.": "Miz",
    "Dr.": "Doctor",
    "Prof.": "Professor",
    "Sr.": "Senior",
    "Jr.": "Junior",
    "Rev.": "Reverend",
    "Gen.": "General",
    "Lt.": "Lieutenant",
    "Capt.": "Captain",
    "Sgt.": "Sergeant",
    "Gov.": "Governor",
    "Sen.": "Senator",
    "e.g.": "for example",
    "E.g.": "For example",
    "i.e.": "that is",
    "I.e.": "That is",
    "etc.": "et cetera",
    "vs.": "versus",
    "vs": "versus",
    "approx.": "approximately",
    "Approx.": "Approximately",
    "avg.": "average",
    "Avg.": "Average",
    "temp.": "temperature",
    "Temp.": "Temperature",
    "max.": "maximum",
    "Max.": "Maximum",
    "min.": "minimum",
    "Min.": "Minimum",
    "hrs.": "hours",
    "incl.": "including",
    "excl.": "excluding",
    "est.": "estimated",
    "Est.": "Estimated",
    "dept.": "department",
    "Dept.": "Department",
    "appt.": "appointment",
    "apt.": "apartment",
    "Apt.": "Apartment",
    "Ave.": "Avenue",
    "Blvd.": "Boulevard",
    "Rd.": "Road",
    "Mt.": "Mount",
    "Ft.": "Fort",
    "Inc.": "Incorporated",
    "Ltd.": "Limited",
    "Co.": "Company",
    "Corp.": "Corporation",
    "a.k.a.": "also known as",
    "w/o": "without",
    "w/": "with",
    "c/o": "care of",
    "U.S.": "U S",
    "U.S.A.": "U S A",
    "U.K.": "U K",
    "E.U.": "E U",
    "a.m.": "A M",
    "p.m.": "P M",
    "Mon.": "Monday",
    "Tue.": "Tuesday",
    "Wed.": "Wednesday",
    "Thu.": "Thursday",
    "Fri.": "Friday",
    "Sat.": "Saturday",
    "Sun.": "Sunday",
    "Jan.": "January",
    "Feb.": "February",
    "Mar.": "March",
    "Apr.": "April",
    "Aug.": "August",
    "Sep.": "September",
    "Sept.": "September",
    "Oct.": "October",
    "Nov.": "November",
    "Dec.": "December",
}
SENTENCE_FINAL = words("etc. a.m. p.m. U.S. U.S.A. U.K. E.U. Inc. Ltd. Co. Corp. hrs. Jr. Sr.")

# Written in capitals and said as a word, or with a spelling of their own.
SAID: dict[str, str] = {
    "NASA": "Nasa",
    "NATO": "Nato",
    "RAM": "Ram",
    "ROM": "Rom",
    "LAN": "Lan",
    "WLAN": "W Lan",
    "NAS": "Nas",
    "GIF": "Gif",
    "JPEG": "Jaypeg",
    "PIN": "Pin",
    "SIM": "Sim",
    "LIDAR": "Lidar",
    "RADAR": "Radar",
    "FAQ": "F A Q",
    "CO2": "C O two",
    "H2O": "H two O",
    "HVAC": "H vac",
    "VLAN": "V Lan",
    "IEEE": "I triple E",
    "HEPA": "Hepa",
    "SpO2": "S P O two",
    "SPO2": "S P O two",
    "BIOS": "Bios",
    "IMAX": "I Max",
    "pH": "P H",
    "NW": "northwest",
    "NE": "northeast",
    "SW": "southwest",
    "SE": "southeast",
    "NNW": "north-northwest",
    "NNE": "north-northeast",
    "SSW": "south-southwest",
    "SSE": "south-southeast",
    "WNW": "west-northwest",
    "WSW": "west-southwest",
    "ENE": "east-northeast",
    "ESE": "east-southeast",
    "LoRa": "Lora",
    "VoIP": "Voip",
}
# Could be words by their letters, but are spelled.
SPELLED = words(
    "AC AI AM AP API AQ AQI AUX AV CAD CEO CEST CET CIA CO CPU DIY DNA EDT EST ETA EU EV EVSE FAQ "
    "FBI GPIO GPU HA HOA ID IO IOT IP IR LED MQTT OLED OS OTA PA PIR POE RGB RGBW RSSI SSH SSID "
    "TTS TV TVOC UEFI UHD UI UK UPS URL USA USB USPS UTC UUID UV UVI VOC "
    "AA AAA ADHD ADSL ATM AMD COPD CIO CFO CTO DUI ECG EEG EKG EMT EPA EPG ESPN ETF GIS GOP "
    "HDMI HIV ICU IDE IEC IMDB IPTV IQ IRS ISP IRC LCD LPG MBA MIT MRI NBA NCAA NGO OCD OEM OBD "
    "OTC PBS PVC RFID ROI SOS SUV UAE UFC UFO UHF UPC URI VIP ABC AED AOL NYPD LAPD ACLU IOU "
    "HOV"
)
